// host_incorrect_gateway, host_incorrect_ip, host_missing_ip, host_incorrect_netmask: what is wrong with a host, seen by its first
// router. The trouble says it all; nothing else explains it, and it explains nothing else.
import type { ResourceId } from '#model/names.ts';
import { shareOf, simple, troublesOfKind } from './explain.ts';
import type { ResourceForm, Rule } from './rule.ts';

type HostFault = {
  readonly fault: string;
  readonly what: string;
  readonly form: ResourceForm;
  readonly summary: string;
  readonly remedy: string;
};

const FAULTS: readonly HostFault[] = [
  {
    fault: 'host_incorrect_gateway',
    what: 'gateway',
    form: 'node',
    summary: 'a host sends what is not for its link to an address that is not its router’s',
    remedy: 'set the gateway of the host to its router',
  },
  {
    fault: 'host_incorrect_ip',
    what: 'address',
    form: 'interface',
    summary: 'a host no longer has its address but another',
    remedy: 'give the host its address back',
  },
  {
    fault: 'host_missing_ip',
    what: 'missing',
    form: 'interface',
    summary: 'a host lives and no longer has its address',
    remedy: 'give the host its address back',
  },
  {
    fault: 'host_incorrect_netmask',
    what: 'netmask',
    form: 'interface',
    summary: 'a host takes what is far away for its own link',
    remedy: 'set the mask of the host to that of its router',
  },
];

export const hostRules: readonly Rule[] = FAULTS.map(({ fault, what, form, summary, remedy }) => ({
  fault,
  resourceForm: form,
  accuses: true,
  nika: fault,
  netOpsBench: null,
  summary,
  propose: (file) =>
    troublesOfKind(file, 'station')
      .filter(({ detail }) => detail['what'] === what)
      .map((trouble) =>
        simple(
          { fault },
          String(trouble.detail[form === 'node' ? 'host' : 'port']) as ResourceId,
          [shareOf(trouble)],
          trouble.source,
          {
            // A host may give up IPv4 on purpose where all can do without (RFC 8925).
            confidence: what === 'missing' ? 'likely' : 'certain',
            details: trouble.detail,
            remedy: { node: trouble.nodes[0]!, summary: `${remedy}: ${trouble.text}` },
          },
        ),
      ),
}));
