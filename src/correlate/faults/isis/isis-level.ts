// isis_level_mismatch: a router, or one circuit of it, speaks another level than its neighbours; and isis_area_mismatch: level 1
// neighbours in different areas. The node that differs from the others is named.

import type { Remedy } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import type { IsisState } from '#model/router/control-plane.ts';
import { frrChange, onInterface } from '../../engine/exact-change.ts';
import type { CaseFile } from '../../engine/facts.ts';
import type { FaultDefinition, Proposal } from '../../engine/fault-definition.ts';
import { majority, newProposal, shareOf } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';
import { activeCircuits, type CircuitEnd, isisLinks } from './isis-mismatch.ts';

export const isisLevel: FaultDefinition = {
  id: 'isis_level_mismatch',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a router runs an IS-IS level that its neighbours do not',
  exact: '`isis circuit-type` or `is-type`, whichever is wrong',
  propose: (file) =>
    oddNodes(
      file,
      isisLevel,
      (ends) => !speak(file, ends[0]).some((level) => speak(file, ends[1]).includes(level)),
      (end) => `level ${speak(file, end).join('-') || 'none'}`,
      (end, usual) => levelChange(file, end, usual),
    ),
};

export const isisArea: FaultDefinition = {
  id: 'isis_area_mismatch',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'level 1 neighbours are in different areas',
  propose: (file) =>
    oddNodes(
      file,
      isisArea,
      (ends) => {
        const [one, other] = ends.map((each) => stateOf(file, each));
        const common = speak(file, ends[0]).filter((level) => speak(file, ends[1]).includes(level));
        return common.length > 0 && !common.includes('2') && !one!.areas.some((area) => other!.areas.includes(area));
      },
      (end) => `area ${stateOf(file, end)?.areas.join(', ') ?? ''}`,
      () => ({
        decide: 'another area is another name of the router for the whole network: it is not changed under way',
      }),
    ),
};

/** Levels that a circuit really speaks: its own and its router's. */
function speak(file: CaseFile, { end, circuit }: CircuitEnd): readonly string[] {
  const state = file.world.views.get(end.node)?.state.isis;
  const router = (state?.level ?? '1-2').split('-');
  return (circuit?.level ?? '1-2').split('-').filter((level) => router.includes(level));
}

/** The circuit where its router speaks what is usual, the router where its circuit does. */
function levelChange(file: CaseFile, { end, circuit }: CircuitEnd, usual: string): Pick<Remedy, 'change' | 'decide'> {
  const wanted = usual.slice('level '.length);
  const isis = file.world.views.get(end.node)?.state.isis;
  const word = { '1': 'level-1', '2': 'level-2-only', '1-2': 'level-1-2' }[wanted];
  if (isis === undefined || word === undefined) return {};
  const allows = (level: string) => wanted.split('-').every((each) => level.split('-').includes(each));
  if (allows(isis.level)) return frrChange(file.world, end.node, onInterface(end.ifname, `isis circuit-type ${word}`));
  if (isis.tag === undefined || !allows(circuit?.level ?? '1-2') || circuit?.level === isis.level)
    return { decide: 'which levels the router is to speak: its process and its circuit both exclude what is usual' };
  return frrChange(file.world, end.node, [`router isis ${isis.tag}`, ` is-type ${word}`]);
}

function stateOf(file: CaseFile, { end }: CircuitEnd): IsisState | undefined {
  return file.world.views.get(end.node)?.state.isis;
}

function oddNodes(
  file: CaseFile,
  rule: FaultDefinition,
  wrong: (ends: readonly [CircuitEnd, CircuitEnd]) => boolean,
  words: (end: CircuitEnd) => string,
  exact: (end: CircuitEnd, usual: string) => Pick<Remedy, 'change' | 'decide'>,
): readonly Proposal[] {
  return isisLinks(file).flatMap(({ symptom, ends }) => {
    if (ends.some((each) => each.circuit === undefined || stateOf(file, each) === undefined) || !wrong(ends)) return [];
    const others = activeCircuits(file.world, [ends[0].end, ends[1].end]);
    const usual = majority(others.map(words));
    const odd = ends.filter((end) => words(end) !== usual);
    const decided = odd.length === 1;
    return (decided ? odd : ends).map((each) =>
      newProposal(rule, nodeResource(each.end.node), [shareOf(symptom)], symptom.source, {
        details: {
          what: symptom.text,
          here: words(each),
          ...(usual === undefined ? {} : { usual }),
        },
        remedy: {
          node: each.end.node,
          summary: `${mark(each.end.node)} should speak as its neighbours do${usual === undefined ? '' : `: ${usual}`}`,
          ...(decided && usual !== undefined ? exact(each, usual) : {}),
        },
        ...(decided ? {} : { withheld: 'the two ends differ, and nothing says which is right' }),
      }),
    );
  });
}
