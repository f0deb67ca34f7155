// Facts of the link between a and b of pair-scene.ts, as a proof and a verdict read them: all of it well, unless a test says otherwise.
import { type CaseFile, type Fact, NOTHING_PLANNED, type ProbeLoss, type Wire } from '#correlate/engine/facts.ts';
import { pairWorld } from './pair-scene.ts';

const ends = { from: { node: 'a', ifname: 'to-b' }, to: { node: 'b', ifname: 'to-a' } };
export const fact = (predicate: string, value: object, source: readonly string[] = ['s']) =>
  ({ subject: 'node/a', predicate, value, source }) as unknown as Fact;
export const linkFact = (change: object = {}) =>
  fact('link', {
    ...ends,
    confirmed: true,
    signs: [],
    claims: [],
    confidence: 'confirmed',
    symptoms: [],
    remarks: [],
    ...change,
  });
export const wire = (change: Partial<Wire> = {}) =>
  fact('wire', {
    ...ends,
    comparable: true,
    txPackets: 5_000,
    rxPackets: 5_000,
    estimate: 0,
    lostAtLeast: 0,
    lostAtMost: 0,
    ...change,
  });
export const loss = (change: Partial<ProbeLoss> = {}) =>
  fact('probe-loss', {
    ...{ scope: 'segment', from: 'a', to: 'b', measuredBy: 'a', sent: 1_000, lost: 0, refused: 0, unanswered: 0 },
    ...{ refusedByFilter: true, directionKnown: true },
    ...change,
  });
export const worldOf = (more: object = {}) => pairWorld(['a-b'], { a: { now: {} }, b: { now: {} } }, more);
export const fileOf = (facts: readonly Fact[], change: object = {}) =>
  ({
    path: [],
    facts,
    world: worldOf(),
    expected: [],
    symptoms: [],
    planned: NOTHING_PLANNED,
    ...change,
  }) as unknown as CaseFile;
