// How a definition becomes symptoms and proposals: ids, confidences, texts, scores, remedies and what they explain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseFile } from '#correlate/engine/facts.ts';
import {
  type CausalFault,
  type DetectedFault,
  type Detection,
  defineCause,
  defineFault,
  type FaultDefinition,
  type Past,
  type Slice,
} from '#correlate/engine/fault-definition.ts';
import type { Symptom } from '#correlate/engine/symptom.ts';

type Detail = { readonly n: number };
const CARD = {
  id: 'f',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'sums it up',
} as const;
const found = (change: Partial<Detection<Detail>> = {}): Detection<Detail> => ({
  ...{ resource: 'node/a', evidence: ['e'], nodes: ['a'], detail: { n: 1 } },
  ...change,
});
const fault = (change: Partial<DetectedFault<Detail>> = {}, detection = found()) =>
  defineFault<Detail>({ ...CARD, detect: () => [detection], describe: ({ n }) => `n is ${n}`, ...change });
const slice = (past?: Partial<Past>) => ({ world: {}, facts: [], ...(past && { past }) }) as unknown as Slice;
const raised = (definition: FaultDefinition, past?: Partial<Past>): Symptom => definition.detect!(slice(past))[0]!;
const fileOf = (...symptoms: readonly Symptom[]) => ({ symptoms }) as unknown as CaseFile;
const proposed = (definition: FaultDefinition) => definition.propose(fileOf(raised(definition)), [])[0]!;

test('a detection raises a symptom of the fault’s own, with its text in the detail', () => {
  const link = { key: 'link' } as never;
  assert.deepEqual(raised(fault()), {
    ...{ id: 'f:node/a', kind: 'f', subject: 'node/a', text: 'n is 1', source: ['e'], nodes: ['a'] },
    ...{ detail: { what: 'n is 1', n: 1 }, confidence: 'certain' },
  });
  const full = raised(fault({ clue: 'dhcp' }, found({ key: 'k', withheld: 'w', link, confidence: 'likely' })));
  assert.deepEqual(
    [full.id, full.clue, full.withheld, full.link, full.confidence],
    ['f:node/a k', 'dhcp', 'w', link, 'likely'],
  );
});

test('what was kept of a time that is over is likely, a whole state of it certain', () => {
  const kept = { kept: { memory: 'filters', node: 'a' } } as const;
  assert.deepEqual([raised(fault(), {}).confidence, raised(fault(), kept).confidence], ['certain', 'likely']);
  assert.equal(raised(fault({}, found({ confidence: 'certain' })), kept).confidence, 'certain');
});

test('a fault explains the symptom that it raised, and what follows from it', () => {
  assert.deepEqual(proposed(fault()), {
    ...{ fault: 'f', resource: 'node/a', confidence: 'certain', score: 3, evidence: ['e'], against: [] },
    ...{ details: { what: 'n is 1', n: 1 }, explains: [{ symptom: 'f:node/a', lost: 1, spread: 0 }] },
  });
  const more = { symptom: 'other', lost: 2, spread: 1 };
  const full = proposed(
    fault(
      {
        score: 4,
        contrary: ({ n }) => [`c${n}`],
        consequences: ({ detail }) => (detail.n === 1 ? [more] : []),
        remedy: ({ n }) => ({ node: 'a', summary: `set ${n}` }),
      },
      found({ withheld: 'w', confidence: 'likely' }),
    ),
  );
  assert.deepEqual(
    [full.score, full.against, full.explains[1], full.remedy?.summary, full.withheld, full.confidence],
    [4, ['c1'], more, 'set 1', 'w', 'likely'],
  );
  assert.equal('remedy' in proposed(fault({ remedy: () => undefined })), false);
  assert.equal(proposed(fault({ accuses: false })).accuses, false);
  assert.equal('accuses' in proposed(fault()), false);
  const other = { ...raised(fault()), kind: 'g' };
  assert.deepEqual(fault().propose(fileOf(other), []), []);
});

const cause = (change: Partial<CausalFault<Detail>> = {}, explanation: object = {}) =>
  defineCause<Detail>({
    ...CARD,
    explain: () => [{ resource: 'node/a', explains: [], evidence: ['e'], detail: { n: 1 }, ...explanation }],
    ...change,
  });
const explained = (definition: FaultDefinition) => definition.propose(fileOf(), []).at(-1)!;

test('a cause is certain and of score 3 unless it says otherwise, and is worded by its definition', () => {
  assert.deepEqual(explained(cause()), {
    ...{ fault: 'f', resource: 'node/a', confidence: 'certain', score: 3, evidence: ['e'], against: [], explains: [] },
    details: { n: 1 },
  });
  const own = explained(cause({}, { confidence: 'likely', score: 1, against: ['x'], withheld: 'w', key: 'k' }));
  assert.deepEqual([own.confidence, own.score, own.against, own.withheld, own.key], ['likely', 1, ['x'], 'w', 'k']);
  const words = explained(
    cause({
      describe: ({ n }) => `n is ${n}`,
      headline: ({ n }, at) => `${at} ${n}`,
      remedy: (_, __, at) => ({ node: 'a', summary: at }),
    }),
  );
  assert.deepEqual(
    [words.details, words.headline, words.remedy?.summary],
    [{ what: 'n is 1', n: 1 }, 'node/a 1', 'node/a'],
  );
  assert.equal(explained(cause({ accuses: false })).accuses, false);
  assert.equal('remedy' in explained(cause({ remedy: () => undefined })), false);
});

test('a cause that is detected by itself raises a symptom, worded by its summary where nothing else words it', () => {
  assert.equal(cause().detect, undefined);
  const detect = () => [found()];
  assert.deepEqual([raised(cause({ detect })).text, raised(cause({ detect })).detail], ['sums it up', { n: 1 }]);
  const worded = raised(cause({ detect, describe: ({ n }) => `n is ${n}` }));
  assert.deepEqual([worded.text, worded.detail], ['n is 1', { what: 'n is 1', n: 1 }]);
  const both = cause({ detect, headline: () => 'h' });
  assert.deepEqual(
    both.propose(fileOf(raised(both)), []).map(({ headline, explains }) => [headline, explains.length]),
    [
      ['h', 1],
      ['h', 0],
    ],
  );
});
