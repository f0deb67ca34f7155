// isis_neighbor_missing: IS-IS runs over a link at one end only: at the other it is not configured, or passive.
import { interfaceResource } from '#model/names.ts';
import { mark } from '../spelling.ts';
import { shareOf, simple } from './explain.ts';
import { isisLinks } from './isis-mismatch.ts';
import type { Rule } from './rule.ts';

export const isisNeighborMissing: Rule = {
  fault: 'isis_neighbor_missing',
  resourceForm: 'interface',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'IS-IS is not active at one end of a link on which the other end runs it',
  propose: (file) =>
    isisLinks(file).flatMap(({ trouble, ends }) => {
      const without = ends.filter(
        ({ end, circuit }) =>
          (circuit === undefined || circuit.passive) && file.world.views.get(end.node)?.state.isis !== undefined,
      );
      return without.map(({ end, circuit }) =>
        simple(isisNeighborMissing, interfaceResource(end), [shareOf(trouble)], trouble.source, {
          // Missed at both ends (a baseline knows that it was there): both are named.
          ...(without.length === 2 ? { together: trouble.id } : {}),
          details: { what: trouble.text, here: circuit === undefined ? 'not configured' : 'passive' },
          remedy: { node: end.node, summary: `switch IS-IS on at ${mark(end.node)} ${end.ifname}` },
        }),
      );
    }),
};
