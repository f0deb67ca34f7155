// A moment of the past is judged only by what each node is known to have been then. Real states of FRR: both ends of the link r2 eth2 – r3 eth1
// may be set to a larger MTU, and are read at different times.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';

const FOLDER = join(import.meta.dirname, '../recorded');

type Ages = {
  readonly fromAgoMs: number;
  readonly untilAgoMs: number;
  readonly tookMs?: number;
  readonly beforeAgoMs?: number;
  readonly afterAgoMs?: number;
};
/** A state as it was read, with a larger MTU of one interface if need be. */
type Row = Ages & { readonly recorded?: string; readonly ifname?: string };
type Memory = { readonly rows?: readonly Row[]; readonly history?: JsonObject; readonly isMute?: true };

function load(name: string) {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json.txt`), 'utf8'));
}

function stateIn(name: string, node: string): JsonObject {
  const evidence = load(name).evidence as DiagnoseInput['evidence'];
  return evidence.find((entry) => entry.node === node && entry.kind === 'state' && entry.phase === 'after')!
    .body as JsonObject;
}

function withLargerMtu(state: JsonObject, ifname: string): JsonObject {
  const inventory = state['inventory'] as JsonObject;
  const interfaces = (inventory['interfaces'] as JsonObject[]).map((entry) =>
    entry['name'] === ifname ? { ...entry, mtu: 9_200 } : entry,
  );
  return { ...state, inventory: { ...inventory, interfaces } };
}

/** A healthy network, asked about the last two minutes; its nodes remember a quarter of an hour unless they say otherwise. */
function asked(memory: Readonly<Record<string, Memory>>, elapsedMs = 200) {
  const { intent, nodes, outcomes, evidence } = load('healthy');
  const bodyOf = (node: string, body: JsonObject): JsonValue => {
    const { rows = [], history = {}, isMute } = memory[node] ?? {};
    const past = rows.map(({ recorded = 'healthy', ifname, ...ages }) => {
      const state = stateIn(recorded, node);
      return { ...ages, state: ifname === undefined ? state : withLargerMtu(state, ifname) };
    });
    const told = { ...(body['history'] as JsonObject), spanMs: 900_000, ...history };
    return { ...body, history: told, ...(isMute ? {} : { past }) };
  };
  return diagnose({
    intent: { ...intent, sinceMs: 120_000 },
    nodeNames: nodes,
    outcomes: outcomes.map((outcome: JsonObject) => ({ ...outcome, elapsedMs })),
    evidence: evidence.map((entry: JsonObject) =>
      entry['kind'] === 'state' && entry['phase'] === 'after'
        ? { ...entry, body: bodyOf(entry['node'] as string, entry['body'] as JsonObject) }
        : entry,
    ),
  });
}

const foundIn = (...given: Parameters<typeof asked>) =>
  asked(...given).findings.map(({ fault, resource, details }) => [`${fault} ${resource}`, details['agoSeconds']]);
const MISMATCH = 'mtu_mismatch interface/r3/eth1';
const OTHER_END = 'mtu_mismatch interface/r2/eth2';

test('both ends were set otherwise for twenty seconds and were read at different times: no end is accused', () => {
  // Set 60 s ago and put back 40 s ago: r3 was read 57 s ago, r2 44 s ago, and neither again before 30 s ago.
  const r3 = { fromAgoMs: 57_000, untilAgoMs: 57_000, ifname: 'eth1' };
  const r2 = { fromAgoMs: 44_000, untilAgoMs: 44_000, ifname: 'eth2' };
  const told = { r3: { ...r3, tookMs: 100, beforeAgoMs: 73_000, afterAgoMs: 39_000 } };
  const diagnosis = asked({
    r3: { rows: [told.r3] },
    r2: { rows: [{ ...r2, tookMs: 100, beforeAgoMs: 61_000, afterAgoMs: 28_000 }] },
  });
  assert.deepEqual(diagnosis.findings, []);
  const doubts = diagnosis.candidates.map(({ fault, resource, chosen, why }) => [fault, resource, chosen, why]);
  assert.deepEqual(doubts.sort(), [
    ['mtu_mismatch', 'interface/r2/eth2', false, 'what r3 was like then was not read'],
    ['mtu_mismatch', 'interface/r3/eth1', false, 'what r2 was like then was not read'],
  ]);
  // Agents of earlier versions tell less.
  assert.deepEqual(foundIn({ r3: { rows: [r3] }, r2: { rows: [r2] } }), []);
});

test('an end that is known to have been as it is now shows the mismatch of the other', () => {
  const r3 = { fromAgoMs: 57_000, untilAgoMs: 57_000, tookMs: 100, ifname: 'eth1' };
  const rows = [{ ...r3, beforeAgoMs: 73_000, afterAgoMs: 39_000 }];
  assert.deepEqual(foundIn({ r3: { rows } }), [[MISMATCH, 57]]);
  // Its state differed later, and was read as it is now right before and after.
  const r2 = { fromAgoMs: 44_000, untilAgoMs: 44_000, tookMs: 100, ifname: 'eth2' };
  const later = [{ ...r2, beforeAgoMs: 56_000, afterAgoMs: 28_000 }];
  assert.deepEqual(foundIn({ r3: { rows }, r2: { rows: later } }), [[MISMATCH, 57]]);
});

test('a state that was read twice holds between, and one that was read once holds then', () => {
  const twice = { fromAgoMs: 60_000, untilAgoMs: 40_000, tookMs: 100, beforeAgoMs: 75_000, afterAgoMs: 25_000 };
  const once = { fromAgoMs: 50_000, untilAgoMs: 50_000, tookMs: 100, beforeAgoMs: 66_000, afterAgoMs: 34_000 };
  const [r3, r2] = [{ rows: [{ ...twice, ifname: 'eth1' }] }, { rows: [{ ...once, ifname: 'eth2' }] }];
  assert.deepEqual(foundIn({ r3, r2 }), [], 'the MTU of both ends was the same');
  const stayed = { rows: [{ ...once, recorded: 'mtu' }] };
  assert.deepEqual(foundIn({ r3, r2: stayed }), [[MISMATCH, 50]], 'the other end differed in other things alone');
});

test('what the other end was in between does not matter where its MTU was the same before and after', () => {
  // r2 lost its neighbour some seconds after the change: whether it had done so when r3 was read is not known.
  const r3 = { fromAgoMs: 57_000, untilAgoMs: 57_000, tookMs: 100, beforeAgoMs: 73_000, afterAgoMs: 41_000 };
  const r2 = { fromAgoMs: 50_000, untilAgoMs: 50_000, tookMs: 100, beforeAgoMs: 66_000, afterAgoMs: 34_000 };
  const memory = { r3: { rows: [{ ...r3, recorded: 'mtu' }] }, r2: { rows: [{ ...r2, recorded: 'mtu' }] } };
  assert.deepEqual(foundIn(memory), [[MISMATCH, 57]]);
});

test('ages that nodes told seconds apart are seconds apart', () => {
  const r3 = { fromAgoMs: 57_000, untilAgoMs: 57_000, tookMs: 100, beforeAgoMs: 73_000, afterAgoMs: 54_000 };
  const r2 = { fromAgoMs: 50_000, untilAgoMs: 50_000, tookMs: 100, beforeAgoMs: 55_000, afterAgoMs: 34_000 };
  const memory = { r3: { rows: [{ ...r3, ifname: 'eth1' }] }, r2: { rows: [{ ...r2, ifname: 'eth2' }] } };
  const found = (elapsedMs: number) => foundIn(memory, elapsedMs).map(([fault]) => fault);
  assert.deepEqual(found(1_500), [OTHER_END, MISMATCH]);
  assert.deepEqual(found(3_000), [OTHER_END]);
  assert.deepEqual(found(5_000), []);
});

test('a reading that took long is of no single moment', () => {
  const r3 = { fromAgoMs: 57_000, untilAgoMs: 57_000, tookMs: 100, beforeAgoMs: 73_000, afterAgoMs: 55_000 };
  const r2 = { fromAgoMs: 54_000, untilAgoMs: 54_000, beforeAgoMs: 70_000, afterAgoMs: 34_000 };
  const found = (tookMs: number) =>
    foundIn({ r3: { rows: [{ ...r3, ifname: 'eth1' }] }, r2: { rows: [{ ...r2, tookMs, ifname: 'eth2' }] } });
  assert.deepEqual(found(100), [[OTHER_END, 54]]);
  assert.deepEqual(found(4_000), []);
});

test('of a node that remembers no states, or none of that time, it is not known what it was', () => {
  const rows = [
    { fromAgoMs: 60_000, untilAgoMs: 40_000, tookMs: 100, ifname: 'eth1', beforeAgoMs: 64_000, afterAgoMs: 36_000 },
  ];
  const since = (reachMs: number) => ({ r3: { rows }, r2: { history: { stateReadings: { reachMs, pauses: [] } } } });
  assert.deepEqual(foundIn(since(61_000)), [[MISMATCH, 50]]);
  assert.deepEqual(foundIn(since(45_000)), [[MISMATCH, 43]], 'a later moment of the same state is known');
  assert.deepEqual(foundIn(since(39_000)), []);
  assert.deepEqual(foundIn({ r3: { rows }, r2: { history: { spanMs: 39_000 } } }), []);
  assert.deepEqual(foundIn({ r3: { rows }, r2: { isMute: true } }), []);
});
