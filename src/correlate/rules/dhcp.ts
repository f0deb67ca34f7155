// dhcp_service_down, dhcp_missing_subnet, dhcp_spoofed_gateway, dhcp_spoofed_dns, dhcp_spoofed_subnet: what a DHCP server offers, held
// against what the router of each network is. The server is named: it is its configuration that has to be put right.
import type { JsonValue } from '#base/json.ts';
import type { ResourceId } from '#model/names.ts';
import type { CaseFile } from '../facts.ts';
import type { Trouble } from '../trouble.ts';
import { shareOf, simple, troublesOfKind } from './explain.ts';
import type { Rule } from './rule.ts';

type DhcpFault = { readonly fault: string; readonly how: string; readonly summary: string; readonly remedy: string };

const FAULTS: readonly DhcpFault[] = [
  {
    fault: 'dhcp_service_down',
    how: 'down',
    summary: 'a host that gave addresses lately is there, and refuses or leaves unanswered every question for one',
    remedy: 'start its DHCP service again',
  },
  {
    fault: 'dhcp_missing_subnet',
    how: 'missing',
    summary: 'a DHCP server offers nothing to a network whose hosts ask it, and does to others',
    remedy: 'give the DHCP server a range for that network',
  },
  {
    fault: 'dhcp_spoofed_gateway',
    how: 'gateway',
    summary: 'a DHCP server gives hosts a router that nobody on their link is',
    remedy: 'offer the router that owns the network',
  },
  {
    fault: 'dhcp_spoofed_dns',
    how: 'names',
    summary: 'a DHCP server gives hosts a name server that answers nobody, while another one is in use',
    remedy: 'offer the name server that is in use',
  },
  {
    fault: 'dhcp_spoofed_subnet',
    how: 'subnet',
    summary: 'a DHCP server gives hosts a mask, or an address, that is not of the network that their router owns',
    remedy: 'offer addresses and the mask of the network that the router owns',
  },
];

export const dhcpRules: readonly Rule[] = FAULTS.map(({ fault, how, summary, remedy }) => ({
  fault,
  resourceForm: 'node',
  accuses: true,
  nika: fault,
  netOpsBench: null,
  summary,
  propose: (file) =>
    troublesOfKind(file, 'dhcp')
      .filter(({ detail }) => detail['how'] === how)
      .map((trouble) =>
        simple(
          { fault },
          String(trouble.detail['host']) as ResourceId,
          [trouble, ...followingFrom(file, trouble)].map(shareOf),
          trouble.source,
          {
            confidence:
              trouble.detail['refused'] === false || trouble.detail['before'] === false ? 'likely' : 'certain',
            details: { what: trouble.text, ...trouble.detail },
            remedy: { node: String(trouble.detail['near']), summary: `${remedy}: ${trouble.text}` },
          },
        ),
      ),
}));

/** Hosts that took what was offered. */
function followingFrom(file: CaseFile, { detail, nodes }: Trouble): readonly Trouble[] {
  const offered = Array.isArray(detail['offered']) ? detail['offered'] : [];
  const has = (value: JsonValue | undefined) => value !== undefined && offered.includes(value);
  return troublesOfKind(file, 'station', 'names').filter((trouble) => {
    const { what, how, asks } = trouble.detail;
    if (!trouble.nodes.some((node) => nodes.includes(node)) || trouble.detail['ifname'] !== detail['ifname'])
      return false;
    if (detail['how'] === 'gateway') return what === 'gateway' && has(trouble.detail['gateway']);
    if (detail['how'] === 'subnet') return what === 'netmask';
    return detail['how'] === 'names' && how === 'asks' && Array.isArray(asks) && asks.every(has);
  });
}
