// isis_level_mismatch: a router, or one circuit of it, speaks another level than its neighbours; and isis_area_mismatch: level 1
// neighbours in different areas. The node that differs from the others is named.
import type { IsisState } from '#model/control-plane.ts';
import { nodeResource } from '#model/names.ts';
import type { CaseFile } from '../facts.ts';
import { mark } from '../spelling.ts';
import { majority, shareOf, simple } from './explain.ts';
import { type CircuitEnd, isisLinks } from './isis-mismatch.ts';
import type { Proposal, Rule } from './rule.ts';

export const isisLevel: Rule = {
  fault: 'isis_level_mismatch',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'a router runs an IS-IS level that its neighbours do not',
  propose: (file) =>
    oddNodes(
      file,
      isisLevel,
      (ends) => !speak(file, ends[0]).some((level) => speak(file, ends[1]).includes(level)),
      (state) => `level ${state.level}`,
    ),
};

export const isisArea: Rule = {
  fault: 'isis_area_mismatch',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: null,
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
      (state) => `area ${state.areas.join(', ')}`,
    ),
};

/** Levels that a circuit really speaks: its own and its router's. */
function speak(file: CaseFile, { end, circuit }: CircuitEnd): readonly string[] {
  const state = file.world.views.get(end.node)?.state.isis;
  const router = (state?.level ?? '1-2').split('-');
  return (circuit?.level ?? '1-2').split('-').filter((level) => router.includes(level));
}

function stateOf(file: CaseFile, { end }: CircuitEnd): IsisState | undefined {
  return file.world.views.get(end.node)?.state.isis;
}

function oddNodes(
  file: CaseFile,
  rule: Rule,
  wrong: (ends: readonly [CircuitEnd, CircuitEnd]) => boolean,
  words: (state: IsisState) => string,
): readonly Proposal[] {
  const usual = majority(
    [...file.world.views.values()].flatMap(({ state }) => (state.isis === undefined ? [] : [words(state.isis)])),
  );
  return isisLinks(file).flatMap(({ trouble, ends }) => {
    const states = ends.map((each) => stateOf(file, each));
    if (ends.some((each) => each.circuit === undefined) || states.some((state) => state === undefined) || !wrong(ends))
      return [];
    const odd = ends.filter((_, index) => words(states[index]!) !== usual);
    const decided = odd.length === 1;
    return (decided ? odd : ends).map(({ end }) =>
      simple(rule, nodeResource(end.node), [shareOf(trouble)], trouble.source, {
        details: {
          what: trouble.text,
          here: words(file.world.views.get(end.node)!.state.isis!),
          ...(usual === undefined ? {} : { usual }),
        },
        remedy: {
          node: end.node,
          summary: `${mark(end.node)} should speak as its neighbours do${usual === undefined ? '' : `: ${usual}`}`,
        },
        ...(decided ? {} : { withheld: 'the two ends differ, and nothing says which is right' }),
      }),
    );
  });
}
