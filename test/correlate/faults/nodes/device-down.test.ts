// device_down: r2 does not answer and its neighbours have lost their carriers towards it; or it is back and remembers nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiagnoseInput, diagnose } from '#correlate/diagnose.ts';
import { withInterface } from '../../recording.ts';
import { all, at, type Change, named, rejected, ring } from '../../ring.ts';

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
