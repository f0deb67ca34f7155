// device_down: a node does not answer and every neighbour that had heard it has lost the carrier towards it. One witness alone
// cannot tell a dead device from a cut link.
import { nodeKey, nodeResource } from '#model/names.ts';
import { mark } from '../spelling.ts';
import { facing, shareOf, simple, troublesOfKind } from './explain.ts';
import type { Rule } from './rule.ts';

export const deviceDown: Rule = {
  fault: 'device_down',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: 'device_down',
  summary: 'a node is silent and all its neighbours have lost their links to it',
  propose: (file) =>
    troublesOfKind(file, 'silent').map((silent) => {
      const node = silent.nodes[0]!;
      const links = file.troubles.filter(
        (trouble) => trouble.kind === 'down' && nodeKey(String(trouble.detail['peer'] ?? '')) === nodeKey(node),
      );
      const around = links.flatMap((trouble) =>
        facing(file, String(trouble.detail['node']), String(trouble.detail['ifname'])),
      );
      const witnesses = Array.isArray(silent.detail['witnesses']) ? silent.detail['witnesses'].length : 0;
      return simple(
        deviceDown,
        nodeResource(node),
        [shareOf(silent), ...links.map(shareOf), ...around],
        silent.source,
        {
          score: 5,
          details: { what: silent.text, witnesses },
          remedy: { node, summary: `check power and console of ${mark(node)}` },
          ...(witnesses >= 2
            ? {}
            : { withheld: `only one neighbour lost ${mark(node)}: the device or the link may be down` }),
        },
      );
    }),
};
