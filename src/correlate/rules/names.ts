// host_incorrect_dns: a host asks for names where nobody serves any. dns_lookup_latency: a name server is slow although the way to it and its
// host are quick. The troubles say it all.
import type { ResourceId } from '#model/names.ts';
import { shareOf, simple, troublesOfKind } from './explain.ts';
import type { Rule } from './rule.ts';

const FAULTS = [
  {
    fault: 'host_incorrect_dns',
    how: 'asks',
    form: 'node',
    summary: 'a host asks an address for names that serves none, while another name server is in use',
    remedy: 'set the name server of the host to one that is in use',
  },
  {
    fault: 'dns_lookup_latency',
    how: 'late',
    form: 'interface',
    summary: 'a name server takes long to answer its own router, and its host answers echoes at once',
    remedy: 'see what the name server waits for',
  },
] as const;

export const nameRules: readonly Rule[] = FAULTS.map(({ fault, how, form, summary, remedy }) => ({
  fault,
  resourceForm: form,
  accuses: true,
  nika: fault,
  netOpsBench: null,
  summary,
  propose: (file) =>
    troublesOfKind(file, 'names')
      .filter(({ detail }) => detail['how'] === how)
      .map((trouble) =>
        simple(
          { fault },
          String(trouble.detail[form === 'node' ? 'host' : 'port']) as ResourceId,
          [shareOf(trouble)],
          trouble.source,
          {
            details: { what: trouble.text, ...trouble.detail },
            remedy: { node: trouble.nodes[0]!, summary: `${remedy}: ${trouble.text}` },
          },
        ),
      ),
}));
