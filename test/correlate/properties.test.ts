// Properties over generated exchanges: what was injected is found, what was not is never found. The seed in a failure
// message replays the case.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diagnose } from '#correlate/diagnose.ts';
import { exchange, generator, type Scene } from './builder.ts';

const PATHS = [
  ['pe1', 'pe3'],
  ['pe1', 'p2', 'pe3'],
  ['pe1', 'p2', 'p4', 'pe3'],
] as const;
const arbitrary = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  path: fc.constantFrom(...PATHS),
  load: fc.constantFrom(0, 0, 200, 2_000, 20_000),
  skewMs: fc.integer({ min: 1, max: 40 }),
});

const found = (scene: Scene) =>
  diagnose(exchange(scene)).findings.map((finding) => `${finding.fault} ${finding.resource}`);
const explain = (scene: Scene) => () => JSON.stringify({ scene, verdict: diagnose(exchange(scene)).verdict }, null, 1);

test('finds the link and the direction of 1–10 % loss under any load and skew [CARD-5]', () => {
  fc.assert(
    fc.property(arbitrary, fc.integer({ min: 10, max: 100 }), ({ path, ...rest }, perMille) => {
      const random = generator(rest.seed);
      const hop = Math.floor(random() * (path.length - 1));
      const onward = random() < 0.5;
      const [from, to] = onward ? [path[hop]!, path[hop + 1]!] : [path[hop + 1]!, path[hop]!];
      const scene = { nodes: path, ...rest, loss: { [`${from}>${to}`]: perMille / 1000 } };
      const got = found(scene);
      const wanted = [`packet_loss interface/${from}/${onward ? 'eth1' : 'eth0'}`];
      if (JSON.stringify(got) !== JSON.stringify(wanted))
        throw new Error(`${got} instead of ${wanted}: ${explain(scene)()}`);
    }),
    { numRuns: 150, seed: 20261121 },
  );
});

test('a healthy network under load, with old counters and ACLs that do their job, is healthy', () => {
  fc.assert(
    fc.property(
      arbitrary,
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      ({ path, ...rest }, job, old) => {
        const filters = [
          { node: path[0], acl: 'acl-2001', hook: 'egress', ifname: 'eth1', job, old },
          { node: path[1], acl: 'guard', hook: 'input', job: Math.floor(job / 7), old },
        ] as const;
        const scene = { nodes: path, ...rest, filters };
        const { verdict, findings } = diagnose(exchange(scene));
        assert.deepEqual(findings, []);
        assert.equal(verdict.kind, 'healthy', explain(scene)());
      },
    ),
    { numRuns: 150, seed: 20261121 },
  );
});

test('a lossy wire is named although ACLs do their job on the way', () => {
  fc.assert(
    fc.property(
      arbitrary,
      fc.integer({ min: 20, max: 100 }),
      fc.integer({ min: 0, max: 5_000 }),
      ({ path, ...rest }, perMille, job) => {
        const filters = [
          { node: path[0], acl: 'acl-2001', hook: 'egress', ifname: 'eth1', job },
          { node: path[1], acl: 'guard', hook: 'forward', job },
        ] as const;
        const scene = { nodes: path, ...rest, filters, loss: { [`${path[0]}>${path[1]}`]: perMille / 1000 } };
        assert.deepEqual(found(scene), ['packet_loss interface/pe1/eth1'], explain(scene)());
      },
    ),
    { numRuns: 150, seed: 20261121 },
  );
});

test('an ACL that drops a part of the path is named, the wire is not', () => {
  const parts = fc.record({
    share: fc.integer({ min: 2, max: 60 }),
    only: fc.constantFrom('path', undefined),
    hook: fc.constantFrom('egress', 'ingress'),
  });
  fc.assert(
    fc.property(arbitrary, parts, ({ path, ...rest }, { share, only, hook }) => {
      const node = hook === 'egress' ? path[0] : path[1];
      const restricted = only !== undefined && path.length > 2 ? { only } : {};
      const drops = { share: share / 100, towards: path[1], ...restricted };
      const filters = [
        { node, acl: 'acl-2001', hook, ifname: hook === 'egress' ? 'eth1' : 'eth0', drops, old: 77 },
      ] as const;
      const scene = { nodes: path, ...rest, filters };
      assert.deepEqual(found(scene), [`acl_misconfig node/${node}`], explain(scene)());
    }),
    { numRuns: 150, seed: 20261121 },
  );
});

test('noise, lies and garbage never throw and never accuse a healthy network', () => {
  fc.assert(
    fc.property(
      arbitrary,
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.nat(),
      ({ path, ...rest }, garbage, choice) => {
        const scene: Scene = {
          nodes: path,
          ...rest,
          touch: (state, node, phase) => {
            if (garbage.length === 0 || (choice + node.length + phase.length) % 3 !== 0) return state as never;
            const piece = garbage[choice % garbage.length] as never;
            const part = ['inventory', 'filters', 'adjacencies', 'neighbours', 'nodeCounters', 'missing'][choice % 6]!;
            return { ...state, [part]: piece } as never;
          },
        };
        assert.deepEqual(diagnose(exchange(scene)).findings, []);
      },
    ),
    { numRuns: 150, seed: 20261121 },
  );
});
