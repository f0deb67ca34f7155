// Full-size probes along a path whose nodes route them off it: what is said of them, and what must be shown of the path itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullSizeProof } from '#correlate/health/proof-full-size.ts';
import { fact } from '../fact-scene.ts';
import { linkOf, pairWorld } from '../pair-scene.ts';

const [A, C] = ['2001:db8::a', '2001:db8::c'];
const LINKS = ['a-b', 'b-c'].map(linkOf);

type Told = {
  /** Interface by which each node sends to c, and to a. */
  readonly there?: Readonly<Record<string, string>>;
  readonly back?: Readonly<Record<string, string>>;
  readonly hopLost?: number;
  readonly hops?: number;
};
const ALONG = { there: { a: 'to-b', b: 'to-c' }, back: { c: 'to-b', b: 'to-a' } } as const;

/** All probes of full size between the ends of a → b → c were lost. */
function proof({ there = ALONG.there, back = ALONG.back, hopLost = 0, hops = 2 }: Told = {}) {
  const way = (ifnames: Readonly<Record<string, string>>, node: string, destination: string) =>
    ifnames[node] === undefined
      ? []
      : [[destination, { destination, kind: 'unicast', ifname: ifnames[node] }] as const];
  const lookups = new Map(
    ['a', 'b', 'c'].map((node) => [node, new Map([...way(there, node, C), ...way(back, node, A)])] as const),
  );
  const world = pairWorld(['a-b', 'b-c'], { a: { now: {} }, b: { now: {} }, c: { now: {} } }, {
    ...{ nodes: ['a', 'b', 'c'], lookups },
  } as never);
  const facts = [
    ...LINKS.map(({ key, from, to }) => ({ ...fact('link', { from, to }), subject: key })),
    fact('probe-loss', {
      ...{ scope: 'path', from: 'a', to: 'c', measuredBy: 'a', sent: 1_000, lost: 0 },
      probe: { source: A, destination: C, segments: [] },
    }),
    fact('full-size', {
      from: 'a',
      to: 'c',
      measuredBy: 'a',
      packetBytes: 1_500,
      directionKnown: false,
      sent: 48,
      lost: 48,
    }),
    ...LINKS.slice(0, hops).map(({ key, from, to }) =>
      fact('hop-full', {
        ...{ link: key, from, to, measuredBy: from.node, packetBytes: 1_500, directionKnown: true, family: 6 },
        ...{ sent: 48, lost: hopLost },
      }),
    ),
  ];
  const { proven, lacking } = fullSizeProof({ world, facts } as never, []);
  return { aside: proven.filter((line) => line.includes('off the path')), lacking: lacking.length };
}

test('probes that a node of the path sends off it say nothing of the path, where each hop carries packets as long', () => {
  const said = (node: string, ifname: string) => [
    `not tested: packets of 1500 octets from {a} to {c} by their own routes: {${node}} sends them off the path, over ${ifname}; each hop carries them`,
  ];
  assert.deepEqual(proof({ there: { a: 'to-x', b: 'to-c' } }), { aside: said('a', 'to-x'), lacking: 0 });
  assert.deepEqual(proof({ back: { c: 'to-x', b: 'to-a' } }), { aside: said('c', 'to-x'), lacking: 0 });
});

test('those that stay on it, or whose way is not known, were lost; and so are the others where a hop loses some, or carried none', () => {
  assert.deepEqual(proof(), { aside: [], lacking: 1 });
  assert.deepEqual(proof({ there: {}, back: {} }), { aside: [], lacking: 1 });
  const aside = { there: { a: 'to-x' } };
  assert.deepEqual(proof({ ...aside, hopLost: 3 }), { aside: [], lacking: 1 });
  assert.deepEqual(proof({ ...aside, hops: 1 }), { aside: [], lacking: 1 });
});
