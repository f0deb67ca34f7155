// device_down: r2 does not answer and its neighbours have lost their carriers towards it; or it is back and remembers nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { deviceDown } from '#correlate/faults/nodes/device-down.ts';
import { withInterface } from '../../recording.ts';
import { all, at, type Change, named, rejected, ring } from '../../ring.ts';
import { caseOf, onLink, ringWorld, symptom } from '../proposing.ts';

const NOW = ['device_down node/r2'];

/** r2 gave no answer to anything. */
function silent(input: DiagnoseInput): DiagnoseInput {
  const outcomes = input.outcomes.map((each) =>
    each.node === 'r2' ? { ...each, status: 'unreachable' as const, reason: 'no route to host' } : each,
  );
  return { ...input, outcomes, evidence: input.evidence.filter(({ node, id }) => node !== 'r2' && !id.includes('r2')) };
}

const dark = (node: string, ifname: string): Change =>
  at([node], (state) => ({
    ...withInterface(state, ifname, () => ({ operUp: false })),
    adjacencies: state.adjacencies.filter((each) => each.ifname !== ifname),
  }));

test('a silent node whose neighbours have all lost it is named', () => {
  const input = silent(ring(all(dark('r1', 'eth1'), dark('r3', 'eth1'))));
  assert.deepEqual(named(input), NOW);
  assert.deepEqual(diagnose(input).findings[0]?.remedy, { node: 'r2', summary: 'check power and console of r2' });
});

test('one witness cannot tell a dead device from a cut link, and a node that is still heard lives', () => {
  const forgotten = at(['r3'], (state) => ({
    ...state,
    history: { ...state.history!, lastHeard: state.history!.lastHeard.filter(({ name }) => name !== 'r2') },
  }));
  const one = silent(ring(all(dark('r1', 'eth1'), forgotten)));
  assert.deepEqual(
    named(one).filter((each) => each.startsWith('device_down')),
    [],
  );
  assert.equal(rejected(one)[NOW[0]!], 'only one neighbour lost r2: the device or the link may be down');
  const heard = silent(ring(dark('r1', 'eth1')));
  assert.deepEqual(
    named(heard).filter((each) => each.startsWith('device_down')),
    [],
  );
});

test('witnesses whose ports have a carrier make it likely, and the remedy asks for its ports', () => {
  const ends = { witnesses: ['interface/r1/eth1', 'interface/r3/eth1'], carriers: [{ node: 'r1', ifname: 'eth1' }] };
  const file = caseOf([symptom('silent', { nodes: ['r2', 'r1', 'r3'], detail: ends })]);
  const [proposal] = deviceDown.propose(file, []);
  assert.deepEqual(
    [proposal?.resource, proposal?.confidence, proposal?.remedy?.summary],
    [
      'node/r2',
      'likely',
      'check power and console of {r2}, whether its ports are shut, and whether it drops what is addressed to itself',
    ],
  );
});

test('two links to one neighbour are one witness', () => {
  const ends = { witnesses: ['interface/r1/eth1', 'interface/r1/eth2'] };
  const [proposal] = deviceDown.propose(caseOf([symptom('silent', { nodes: ['r2', 'r1'], detail: ends })]), []);
  assert.match(proposal?.withheld ?? '', /^only one neighbour lost/);
});

const events = (ifname: string, ...agos: readonly number[]) =>
  agos.map((agoMs, index) => ({ kind: 'carrier' as const, subject: ifname, agoMs, changes: 1, up: index % 2 === 0 }));

/** r2's links fell 30 s ago and came back 20 s ago, as r1 and r3 saw it; r2 has begun as given. */
const around = (spanMs: number, upMs: number, own: readonly string[] = []): Change =>
  all(
    at(['r1', 'r3'], (state) => {
      const [last, first] = state.inventory.node === 'r1' ? [20_000, 30_000] : [21_000, 31_000];
      return { ...state, history: { ...state.history!, spanMs: 600_000, events: events('eth1', last, first) } };
    }),
    at(['r2'], (state) => ({
      ...state,
      daemons: state.daemons!.map((daemon) => ({ ...daemon, upMs })),
      history: { ...state.history!, spanMs, events: own.flatMap((ifname) => events(ifname, 20_000, 30_000)) },
    })),
  );

test('all links of a node down together are its fault when everything that runs there began after they fell', () => {
  assert.deepEqual(named(ring(around(12_000, 15_000), 120_000)), NOW);
  assert.deepEqual(named(ring(around(12_000, 15_000))), []);
});

test('a node that lived while all its links were cut was not down: its links were', () => {
  const links = ['link_down link/r1:eth1--r2:eth1', 'link_down link/r2:eth2--r3:eth1'];
  assert.deepEqual(named(ring(around(600_000, 4_000_000, ['eth1', 'eth2']), 120_000)), links);
  // The agent alone was started again: the daemons ran all the time.
  assert.deepEqual(named(ring(around(12_000, 4_000_000), 120_000)), links);
});

const DARK = { node: 'a', ifname: 'to-b', from: 'no-carrier', peer: 'b', port: 'to-a' };
const SILENT = symptom('silent', { nodes: ['b'], detail: { witnesses: ['interface/a/e1', 'interface/c/e1'] } });
const proposed = (symptoms: readonly ReturnType<typeof symptom>[], world = ringWorld()) =>
  deviceDown.propose(caseOf(symptoms, world), []);
const explains = (...given: Parameters<typeof proposed>) =>
  proposed(...given).map(({ resource, score, withheld, explains: shares }) => [
    ...[resource, score, withheld === undefined, shares.map((share) => share.symptom).join(' ')],
  ]);

test('dark ports towards the silent node, and sessions over them, follow from it; a port that is gone does not', () => {
  const inventory = { interfaces: [{ name: 'to-b', addresses: ['198.18.12.0/31'] }] };
  const world = ringWorld({}, { a: { inventory } });
  const others = [
    symptom('down', { id: 'dark', detail: DARK }),
    symptom('down', { id: 'gone', detail: { ...DARK, from: 'gone' } }),
    symptom('down', { id: 'towards c', detail: { ...DARK, peer: 'c' } }),
    symptom('down', { id: 'towards none', detail: { node: 'a', ifname: 'x', from: 'no-carrier' } }),
    symptom('bfd', { id: 'facing', detail: { node: 'a', peer: '198.18.12.1' } }),
    symptom('bfd', { id: 'elsewhere', detail: { node: 'a', peer: '198.18.13.1' } }),
  ];
  assert.deepEqual(explains([SILENT, ...others], world), [['node/b', 5, true, 'silent dark facing']]);
});

test('two witnesses are needed', () => {
  const heard = (...witnesses: readonly string[]) =>
    explains([{ ...SILENT, detail: { witnesses } }]).map(([, , isNamed]) => isNamed);
  assert.deepEqual(
    [heard(), heard('interface/a/e1'), heard('interface/a/e1', 'interface/c/e1')],
    [[false], [false], [true]],
  );
});

const fell = (pair: string, agoMs: number, fellAgoMs = agoMs + 10_000) =>
  onLink('past', pair, { id: pair, detail: { changes: 2, agoMs, fellAgoMs } });
const started = (spanMs: number, ...upMs: readonly number[]) =>
  ringWorld({}, { a: { history: { spanMs, events: [] }, daemons: upMs.map((each) => ({ name: 'x', upMs: each })) } });
const wasDown = (symptoms: readonly ReturnType<typeof symptom>[], world = started(9_000, 9_000)) =>
  explains(symptoms, world).filter(([resource]) => resource === 'node/a');

test('all links that came back within five seconds fell together', () => {
  const NAMED = [['node/a', 4, true, 'a-b d-a']];
  assert.deepEqual(wasDown([fell('a-b', 20_000), fell('d-a', 25_000)]), NAMED);
  assert.deepEqual(wasDown([fell('a-b', 20_000), fell('d-a', 25_001)]), []);
  assert.deepEqual(wasDown([fell('a-b', 20_000)]), []);
  const [found] = proposed([fell('a-b', 20_000), fell('d-a', 24_000)], started(9_000));
  assert.deepEqual(
    [found?.confidence, found?.details, found?.remedy],
    [
      'likely',
      {
        what: 'all links of {a} were down together, and it remembers nothing of the time before',
        ...{ node: 'a', over: true, agoMs: 20_000 },
      },
      undefined,
    ],
  );
});

test('what ran on the node since before the first of its links fell lived with it', () => {
  const pair = [fell('a-b', 20_000, 30_000), fell('d-a', 21_000, 33_000)];
  assert.deepEqual(wasDown(pair, started(33_000, 33_000)).length, 1);
  assert.deepEqual(wasDown(pair, started(33_001)), []);
  assert.deepEqual(wasDown(pair, started(9_000, 9_000, 33_001)), []);
});
