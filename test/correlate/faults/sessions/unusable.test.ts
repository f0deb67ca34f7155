// Adjacencies that are up and whose ends contradict each other: passwords of areas count on level 1, those of domains on level 2; network types of OSPF in one version.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unusableAdjacencies, unusableRemarks } from '#correlate/faults/sessions/unusable.ts';
import { isis, pairWorld, type State } from '../../pair-scene.ts';
import { caseOf, symptom } from '../proposing.ts';

const AREA_1 = { level: '1-2', areas: ['49.0001'], areaPassword: 'none', domainPassword: 'none' };
const AREA_2 = { ...AREA_1, areas: ['49.0002'] };

/** Words for what the routers a and b contradict each other in; their circuits speak `level`. */
function remarks(a: object, b: object, level = '1-2'): readonly string[] {
  const at = (ifname: string, router: object): State => {
    const state = isis(ifname, 'up', { level });
    return { ...state, isis: { ...(state['isis'] as object), ...router } };
  };
  const world = pairWorld(['a-b'], { a: { now: at('to-b', a) }, b: { now: at('to-a', b) } });
  return unusableRemarks(world).map(({ text }) => text.split(': the IS-IS')[0]!);
}

test('an area password is compared on level 1 alone', () => {
  const secret = { ...AREA_1, areaPassword: 'md5' };
  const differ = ['{a}: area password md5, {b}: area password none'];
  assert.deepEqual(remarks(secret, AREA_1), differ);
  assert.deepEqual(remarks(secret, AREA_1, '1'), differ);
  assert.deepEqual(remarks(secret, AREA_1, '2'), []);
  assert.deepEqual(remarks(secret, { ...AREA_1, level: '2' }), []);
  assert.deepEqual(remarks(secret, AREA_2), [], 'two areas are adjacent on level 2 alone');
  assert.deepEqual(remarks(secret, secret), []);
});

test('a domain password is compared on level 2 alone', () => {
  const secret = { ...AREA_1, domainPassword: 'clear' };
  const differ = ['{a}: domain password clear, {b}: domain password none'];
  assert.deepEqual(remarks(secret, AREA_1), differ);
  assert.deepEqual(remarks(secret, AREA_2), differ);
  assert.deepEqual(remarks(secret, AREA_1, '1'), []);
  assert.deepEqual(remarks(secret, secret), []);
});

test('a node that does not tell area and domain passwords apart says nothing of either', () => {
  const { domainPassword: _, ...old } = AREA_1;
  assert.deepEqual(remarks({ ...old, areaPassword: 'md5' }, AREA_1), []);
});

type Version = 2 | 3;
const P2P = 'POINTOPOINT';
const LAN = 'BROADCAST';
const ospfRow = (version: Version, ifname: string, network: string) => ({
  ...(version === 3 ? { version } : {}),
  ...{ ifname, network, passive: false, neighbours: [{ state: 'Full', address: '', routerId: '' }] },
});
/** Rows of some ports of a node, each of a network type, in one version; all are full. */
const rows = (version: Version, types: Readonly<Record<string, string>>): State => ({
  [version === 3 ? 'ospf6' : 'ospf']: Object.entries(types).map(([port, network]) => ospfRow(version, port, network)),
});

test('network types are compared within one version, whose name is told', () => {
  const between = (a: State, b: State) =>
    unusableRemarks(pairWorld(['a-b'], { a: { now: a }, b: { now: b } })).map(
      ({ text }) => text.split(' adjacency')[0],
    );
  const words = '{a} to-b: network type POINTOPOINT, {b} to-a: network type BROADCAST: the';
  const [a2, b2, a3, b3] = ([2, 3] as const).flatMap((version) => [
    rows(version, { 'to-b': P2P }),
    rows(version, { 'to-a': P2P }),
  ]);
  const [lan2, lan3] = [rows(2, { 'to-a': LAN }), rows(3, { 'to-a': LAN })];
  assert.deepEqual(between(a3!, lan3), [`${words} OSPFv3`]);
  assert.deepEqual(between({ ...a2, ...a3 }, { ...b2, ...lan3 }), [`${words} OSPFv3`]);
  assert.deepEqual(between({ ...a2, ...a3 }, { ...lan2, ...b3 }), [`${words} OSPF`]);
  assert.deepEqual(between({ ...a2, ...a3 }, { ...lan2, ...lan3 }), [`${words} OSPF`, `${words} OSPFv3`]);
  assert.deepEqual([between(a2!, lan3), between(a3!, lan2)], [[], []], 'one version at each end');
});

/** a – b – c – a: a has no route to `destination` of b; what is explained, and who is odd, by the network types of these states. */
function cut(destination: string, states: Readonly<Record<'a' | 'b' | 'c', State>>) {
  const now = Object.fromEntries(Object.entries(states).map(([node, state]) => [node, { now: state }]));
  const owners = new Map([[destination, [{ node: 'b', ifname: 'to-a' }]]]);
  const world = pairWorld(['a-b', 'b-c', 'c-a'], now, { owners });
  const route = symptom('route', { detail: { destination, owner: 'b', at: 'a', from: 'a', how: 'none' } });
  return unusableAdjacencies(caseOf([route], world)).map(({ protocol, differences, symptoms }) => [
    ...[protocol, differences[0]?.odd, symptoms.map(({ id }) => id)],
  ]);
}
/** All ports of the ring point-to-point, but b's towards a. */
const around = (version: Version) => ({
  a: rows(version, { 'to-b': P2P, 'to-c': P2P }),
  b: rows(version, { 'to-a': LAN, 'to-c': P2P }),
  c: rows(version, { 'to-a': P2P, 'to-b': P2P }),
});

/** OSPFv3 on a – b alone, whose ends contradict each other. */
const EDGE = { a: rows(3, { 'to-b': P2P }), b: rows(3, { 'to-a': LAN, lo: P2P }), c: rows(3, {}) };

test('an adjacency of OSPFv3 that carries nothing cuts routes of IPv6, where no other one of OSPFv3 carries them', () => {
  const [v2, v3] = [around(2), around(3)];
  const found = [['OSPFv3', ['b'], ['route']]];
  assert.deepEqual(cut('fd00:1::1', EDGE), found);
  const well2 = { ...v2, b: rows(2, { 'to-a': P2P, 'to-c': P2P }) };
  const both = { a: { ...well2.a, ...EDGE.a }, b: { ...well2.b, ...EDGE.b }, c: { ...well2.c, ...EDGE.c } };
  assert.deepEqual(cut('fd00:1::1', both), found, 'adjacencies of OSPFv2 carry no IPv6');
  const alone2 = { a: rows(2, { 'to-b': P2P }), b: rows(2, { 'to-a': P2P }) };
  const sameLink = { ...EDGE, a: { ...EDGE.a, ...alone2.a }, b: { ...EDGE.b, ...alone2.b } };
  assert.deepEqual(cut('198.18.1.1', sameLink), [], 'it carries no IPv4');
  assert.deepEqual(cut('fd00:1::1', v3), [], 'the way over c is left');
  const silent = { ...both, c: well2.c };
  assert.deepEqual(cut('fd00:1::1', silent), [], 'c says nothing of OSPFv3, and OSPFv2 stands for both');
});

test('the odd end is the one unlike most rows of its own version', () => {
  const lans = (node: 'a' | 'b' | 'c', ...ports: readonly string[]) => ({
    ...EDGE[node],
    ...rows(2, Object.fromEntries(ports.map((port) => [port, LAN]))),
  });
  const states = { a: lans('a', 'to-b', 'to-c'), b: lans('b', 'to-a', 'to-c'), c: lans('c', 'to-a', 'to-b') };
  assert.deepEqual(cut('fd00:1::1', states), [['OSPFv3', ['b'], ['route']]]);
});
