// A filter of the probes' own sender that drops other traffic as well: what the sender was refused never came to a wire or to a far
// socket, so neither explains it. And the same where it did leave, or where the rule takes another share of such packets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose } from '#correlate/diagnose.ts';
import type { FilterMatch } from '#model/router/router-port.ts';
import { exchange, type Scene } from './builder.ts';

type TouchProbe = NonNullable<Scene['touchProbe']>;

const NODES = ['pe1', 'p2', 'pe3'];
const run = (scene: Partial<Scene>) => diagnose(exchange({ nodes: NODES, seed: 7, ...scene }));
const said = (scene: Partial<Scene>) =>
  run(scene).findings.map(({ fault, resource, confidence }) => `${fault} ${resource} ${confidence}`);

/** Of 1000 probes pe1 was refused some, and of the others some did not come back. */
const refused =
  (count: number, lost = 0): TouchProbe =>
  (result, from, to) => {
    if (from !== 'pe1' || to !== 'p2') return result;
    const back = 1_000 - count - lost;
    return { ...result, reflected: back, received: back, sendErrors: count, sendErrorReason: 'EPERM' };
  };
/** The counters of the link between them cannot be compared. */
const blind: Scene['touch'] = (state, node) => {
  const interfaces = state.inventory.interfaces.map((entry) => ({ ...entry, offloads: node === 'p2' ? ['tso'] : [] }));
  return { ...state, inventory: { ...state.inventory, interfaces } } as never;
};
const routing: FilterMatch = { field: 'extension', values: ['rt'] };
const share = (percent: number): FilterMatch => ({ field: 'sample', values: [`${percent}/100`] });
const acl = (job: number, ...matches: readonly FilterMatch[]) =>
  [{ node: 'pe1', acl: 'acl-3000', hook: 'postrouting', ifname: 'eth1', job, matches }] as const;

test('a filter that its node’s probes were refused by is named although it dropped other packets too', () => {
  for (const touch of [undefined, blind]) {
    const scene = { touchProbe: refused(103), filters: acl(137, routing, share(10)), ...(touch && { touch }) };
    assert.deepEqual(said(scene), ['acl_misconfig node/pe1 likely']);
    const { droppedPackets, probesLost } = run(scene).findings[0]!.details;
    assert.deepEqual([droppedPackets, probesLost], [137, 103]);
  }
});

test('one that takes all such packets took all that its node was refused', () => {
  assert.deepEqual(said({ touchProbe: refused(1_000), touch: blind, filters: acl(1_400, routing) }), [
    'acl_misconfig node/pe1 likely',
  ]);
});

test('another share than was refused, or a counter below it, names no filter', () => {
  assert.deepEqual(said({ touchProbe: refused(103), touch: blind, filters: acl(137, routing, share(40)) }), []);
  assert.deepEqual(said({ touchProbe: refused(103), touch: blind, filters: acl(60, routing, share(10)) }), []);
});

test('what was sent and did not arrive may be the wire’s where its counters cannot be compared', () => {
  assert.deepEqual(said({ touchProbe: refused(0, 103), touch: blind, filters: acl(137, routing, share(10)) }), []);
  assert.deepEqual(said({ touchProbe: refused(50, 53), touch: blind, filters: acl(137, routing, share(10)) }), []);
});

test('a filter that takes other packets, and dropped as many, is not what refused the probes', () => {
  const other: FilterMatch = { field: 'destination-port', values: ['22'] };
  assert.deepEqual(said({ touchProbe: refused(103), touch: blind, filters: acl(137, other, share(10)) }), []);
  assert.deepEqual(said({ touch: blind, filters: acl(137, routing, share(10)) }), []);
});
