// dhcp_service_down, dhcp_missing_subnet, dhcp_spoofed_gateway, dhcp_spoofed_dns, dhcp_spoofed_subnet: what a DHCP server offers, held
// against what the router of each network is. The server is named: it is its configuration that has to be put right.
import type { JsonValue } from '#base/json.ts';
import type { CaseFile } from '../../engine/facts.ts';
import { symptomsOfKind } from '../../engine/proposal.ts';
import type { Symptom } from '../../engine/symptom.ts';
import { type HostFamily, rulesAboutHosts } from '../hosts/host-symptom-rule.ts';

const SERVER: HostFamily = {
  kind: 'dhcp',
  sign: 'how',
  confidence: ({ detail }) => (detail['refused'] === false || detail['before'] === false ? 'likely' : 'certain'),
  consequences: followingFrom,
};

export const dhcpRules = rulesAboutHosts(SERVER, [
  {
    fault: 'dhcp_service_down',
    is: 'down',
    form: 'node',
    summary: 'a host that gave addresses lately is there, and refuses or leaves unanswered every question for one',
    remedy: 'start its DHCP service again',
  },
  {
    fault: 'dhcp_missing_subnet',
    is: 'missing',
    form: 'node',
    summary: 'a DHCP server offers nothing to a network whose hosts ask it, and does to others',
    remedy: 'give the DHCP server a range for that network',
  },
  {
    fault: 'dhcp_spoofed_gateway',
    is: 'gateway',
    form: 'node',
    summary: 'a DHCP server gives hosts a router that nobody on their link is',
    remedy: 'offer the router that owns the network',
  },
  {
    fault: 'dhcp_spoofed_dns',
    is: 'names',
    form: 'node',
    summary: 'a DHCP server gives hosts a name server that answers nobody, while another one is in use',
    remedy: 'offer the name server that is in use',
  },
  {
    fault: 'dhcp_spoofed_subnet',
    is: 'subnet',
    form: 'node',
    summary: 'a DHCP server gives hosts a mask, or an address, that is not of the network that their router owns',
    remedy: 'offer addresses and the mask of the network that the router owns',
  },
]);

/** Hosts that took what was offered. */
function followingFrom(file: CaseFile, { detail, nodes }: Symptom): readonly Symptom[] {
  const offered = Array.isArray(detail['offered']) ? detail['offered'] : [];
  const has = (value: JsonValue | undefined) => value !== undefined && offered.includes(value);
  return symptomsOfKind(file, 'host', 'names').filter((symptom) => {
    const { what, how, asks } = symptom.detail;
    if (!symptom.nodes.some((node) => nodes.includes(node)) || symptom.detail['ifname'] !== detail['ifname'])
      return false;
    if (detail['how'] === 'gateway') return what === 'gateway' && has(symptom.detail['gateway']);
    if (detail['how'] === 'subnet') return what === 'netmask';
    return detail['how'] === 'names' && how === 'asks' && Array.isArray(asks) && asks.every(has);
  });
}
