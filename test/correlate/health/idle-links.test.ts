// A link between two routers that carries nothing: what is said of it, and what keeps it from being said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLinkProof } from '#correlate/health/proof-links.ts';
import { linkOf, ospf, pairWorld } from '../pair-scene.ts';

test('a link that neither end has an address, a protocol or a route on, now or before, is reported as not tested', () => {
  const lines = (
    a: object = {},
    more: object = {},
    port: object = {},
    packets = [3, 8],
    signs: readonly string[] = [],
  ) => {
    const state = (index: number, ifname: string, change: object = {}, portMore: object = {}) => {
      const counters = { rxPackets: String(packets[index]), txPackets: String(packets[index]) };
      const entry = {
        ...{ name: ifname, kind: 'physical', adminUp: true, operUp: true, addresses: ['fe80::1/64'] },
        counters,
      };
      const inventory = { interfaces: [{ ...entry, ...portMore }], loopbacks: [], mastersTold: true };
      return { inventory, missing: [], history: { settingsSpanMs: 9e6 }, ...change };
    };
    const end = (ifname: string, change: object = {}, portMore: object = {}) => ({
      before: state(0, ifname, change, portMore),
      now: state(1, ifname, change, portMore),
    });
    const link = linkOf('a-b');
    const claims = [{ sign: 'lldp', by: 'a' }];
    const links = [{ ...link, link: { ...link.link, signs, claims, pointToPoint: true } }];
    return plainLinkProof(
      pairWorld([], { a: end('to-b', a, port), b: end('to-a') }, { links, lookups: new Map(), ...more }),
    );
  };
  const { proven, lacking } = lines();
  assert.deepEqual(lacking, []);
  assert.match(
    proven.join(),
    /not tested: .*to-b – .*to-a: neither end has an address there, no protocol runs over it/,
  );
  const lacks = (...args: Parameters<typeof lines>) =>
    assert.match(lines(...args).lacking.join(), /no probe crossed it in numbers that prove anything/);
  lacks({}, {}, { addresses: ['198.18.9.1/32'] });
  lacks({}, {}, { master: { name: 'br0', kind: 'bridge' } });
  lacks({}, {}, {}, [3, 300]);
  lacks({}, {}, {}, [3, 8], ['lldp', 'isis']);
  lacks({ adjacencies: [{ ifname: 'to-b', state: 'up' }] });
  lacks({ defaultRoutes: [{ prefix: '::/0', protocol: 'ra', hops: [{ ifname: 'to-b', nextHop: 'fe80::2' }] }] });
  lacks({ missing: [{ part: 'ospf', reason: 'no answer' }] });
  lacks(ospf('to-b', 'Full'));
  lacks({ staticRoutes: [{ prefix: '198.18.70.0/24', kind: 'unicast', protocol: 'static', ifname: 'to-b' }] });
  const way = { destination: '198.18.9.2', kind: 'unicast', ifname: 'to-b' };
  lacks({}, { lookups: new Map([['a', new Map([[way.destination, way]])]]) });
  lacks({ history: {} });
  lacks({ history: { settingsSpanMs: 3_000 } });
  const had = (change: object) => lacks({ history: { settingsSpanMs: 9e6, settings: [{ agoMs: 60_000, ...change }] } });
  had({ kind: 'address', subject: 'to-b', was: '198.18.9.1/32' });
  had({ kind: 'metric', subject: 'to-b', setting: 'ospf', was: '10' });
  had({ kind: 'master', subject: 'to-b', was: 'br0' });
  had({ kind: 'static-route', subject: '198.18.70.0/24', setting: 'to-b', was: 'unicast via 198.18.1.1' });
  const short = {
    history: { settingsSpanMs: 20_000, settings: [{ agoMs: 17_000, kind: 'address', subject: 'to-b', was: 'x' }] },
  };
  lacks(short);
  const seen = { inventory: { interfaces: [] }, ...ospf('to-b', 'Full') };
  lacks({ past: [{ fromAgoMs: 19_000, untilAgoMs: 17_000, state: seen }] });
});

test('a link that routes lead over one way alone is tested that way, and said not to be the other', () => {
  const [A, B] = ['198.18.9.1', '198.18.9.2'];
  const about = ({ back = 100, over = 'to-b', state = 'Full', b = {} as object, probe = {} as object } = {}) => {
    const now = (own: string, loopback: string) => ({
      now: {
        inventory: {
          interfaces: ['to-a', 'to-b'].map((name) => ({ name, kind: 'physical', adminUp: true, operUp: true })),
          loopbacks: [`${loopback}/32`],
        },
        ...ospf(own, state),
      },
    });
    const way = (destination: string, ifname: string) =>
      new Map([[destination, { destination, kind: 'unicast', ifname }]]);
    const link = linkOf('a-b');
    // b's probes go round, and the answers of a come back over the link.
    const world = pairWorld(
      [],
      { a: now('to-b', A), b: { now: { ...now('to-a', B).now, ...b } } },
      {
        links: [{ ...link, link: { ...link.link, pointToPoint: true } }],
        lookups: new Map([
          ['a', way(B, over)],
          ['b', way(A, 'to-c')],
        ]),
        owners: new Map([
          [A, [{ node: 'a', ifname: 'lo' }]],
          [B, [{ node: 'b', ifname: 'lo' }]],
        ]),
        reach: [{ from: 'b', destination: A, sent: 100, received: back, source: 'r', ...probe }],
      },
    );
    return plainLinkProof(world);
  };
  assert.deepEqual(about(), {
    proven: [
      'not tested: {b} to-a → {a} to-b: no route of {b} leads over it; the adjacency is up at both ends, and 100 probes or answers crossed it the other way',
    ],
    lacking: [],
  });
  assert.equal(about({ back: 99 }).lacking.length, 1, 'one was lost on a way that is not known');
  assert.equal(about({ state: 'Init' }).lacking.length, 1);
  assert.match(String(about({ over: 'to-c' }).proven), /no route of either end leads over it/);
  assert.deepEqual(about({ probe: { from: 'a', destination: B } }), about(), 'probes themselves');
  assert.equal(about({ probe: { sender: '198.18.9.9' } }).lacking.length, 1, 'the answers go another way');
  const hops = [{ ifname: 'to-a', nextHop: '198.18.1.1' }];
  assert.equal(about({ b: { defaultRoutes: [{ prefix: '0.0.0.0/0', protocol: 'ospf', hops }] } }).lacking.length, 1);
  const set = { prefix: '198.18.70.0/24', kind: 'unicast', protocol: 'static', ifname: 'to-a' };
  assert.equal(about({ b: { staticRoutes: [set] } }).lacking.length, 1);
});
