// daemon_down: some routing daemons of r3 are dead, or were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFileOf } from '#correlate/case-file.ts';
import { diagnose } from '#correlate/diagnose.ts';
import { daemonDown } from '#correlate/faults/nodes/daemon-down.ts';
import { daemonSymptom } from '#correlate/symptoms/dead-daemons.ts';
import type { OspfInterface } from '#model/router/control-plane.ts';
import { all, at, named, ring } from '../../ring.ts';
import { dual, row6 } from '../ospf/ospf-ring.ts';
import { caseOf, symptom } from '../proposing.ts';
import { ALL, dead, startedAgain } from './daemons.ts';

const FOUND = ['daemon_down node/r3'];

test('a dead daemon is named, and the adjacencies that died with it are not', () => {
  const lost = at(['r2', 'r3', 'r4'], (state) => ({
    ...state,
    adjacencies:
      state.inventory.node === 'r3'
        ? []
        : state.adjacencies.filter(({ ifname }) => !isTowardsR3(state.inventory.node, ifname)),
  }));
  const input = ring(all(dead(['isisd']), lost));
  assert.deepEqual(named(input), FOUND);
  const [finding] = diagnose(input).findings;
  assert.deepEqual(finding?.remedy, {
    node: 'r3',
    summary: 'restart isisd on r3',
    command: 'systemctl restart frr',
  });
});

function isTowardsR3(node: string, ifname: string): boolean {
  return (node === 'r2' && ifname === 'eth2') || (node === 'r4' && ifname === 'eth1');
}

test('a daemon that was started again within the time asked about was down', () => {
  assert.deepEqual(named(ring(startedAgain(['isisd']), 120_000)), FOUND);
  assert.deepEqual(named(ring(startedAgain(['isisd']))), []);
});

test('daemons that all answer, and a node that was started as a whole, are no fault', () => {
  assert.deepEqual(named(ring(dead([]))), []);
  const fresh = at(['r3'], (state) => ({
    ...state,
    daemons: ALL.map((name) => ({ name, alive: true, upMs: 9_000 })),
    history: { ...state.history!, spanMs: 8_000 },
  }));
  assert.deepEqual(named(ring(fresh, 120_000)), []);
});

/** r3's isisd takes connections and says nothing over them: in the readings that are named. */
const hanging = (phases: readonly string[], name = 'isisd') =>
  all((state, node, phase) =>
    node !== 'r3'
      ? state
      : {
          ...state,
          daemons: [...new Set([...ALL, name])].map((each) => ({
            ...{ name: each, alive: true },
            ...(each === name && phases.includes(phase) ? { silent: true as const } : {}),
          })),
        },
  );

const lostTowardsR3 = at(['r2', 'r4'], (state) => ({
  ...state,
  adjacencies: state.adjacencies.filter(({ ifname }) => !isTowardsR3(state.inventory.node, ifname)),
}));

test('a daemon that hangs is named where it hung in both readings and a neighbour has lost it', () => {
  const input = ring(all(hanging(['before', 'after']), lostTowardsR3));
  assert.deepEqual(named(input), FOUND);
  assert.match(
    String(diagnose(input).findings[0]?.details['what']),
    /isisd no longer answers \(isisd runs and hangs\)/,
  );
  assert.deepEqual(named(ring(hanging(['before', 'after']))), [], 'busy: no neighbour misses it');
  assert.deepEqual(named(ring(all(hanging(['before']), lostTowardsR3))), []);
  assert.deepEqual(named(ring(all(hanging(['after']), lostTowardsR3))), []);
});

test('ospf6d that hangs is named where a neighbour has lost it in OSPFv3; neighbours that are lost in OSPFv2 say nothing of it', () => {
  const neighbours = [{ routerId: '198.18.255.9', address: 'fe80::9', state: 'Full' }];
  const towardsR3 = (rows: readonly OspfInterface[] | undefined, node: string) =>
    rows!.map((row) => (isTowardsR3(node, row.ifname) ? { ...row, neighbours: [] } : row));
  const lost = (version: 2 | 3) =>
    at(['r2', 'r4'], (state) => {
      const { node } = state.inventory;
      return version === 3
        ? { ...state, ospf6: towardsR3(state.ospf6, node) }
        : { ...state, ospf: towardsR3(state.ospf, node) };
    });
  const hung = (name: string, version: 2 | 3) => {
    const full = dual(3, row6({ neighbours }), row6({ neighbours }));
    const { intent, nodeNames, evidence, outcomes } = ring(
      all(full, hanging(['before', 'after'], name), lost(version)),
    );
    return daemonSymptom.of(caseFileOf(intent, nodeNames, evidence, outcomes)).map(({ detail }) => detail.dead);
  };
  assert.deepEqual(hung('ospf6d', 3), [['ospf6d']]);
  assert.deepEqual(hung('ospf6d', 2), []);
  assert.deepEqual(hung('ospfd', 2), [['ospfd']]);
  assert.deepEqual(hung('ospfd', 3), []);
});

/** What r3's zebra was asked for did not come, in the readings that are named, `apartMs` after each other. */
const unread = (phases: readonly string[], apartMs: number) =>
  all((state, node, phase) =>
    node === 'r3'
      ? {
          ...state,
          countersReadMs: phase === 'before' ? 10_000 : 10_000 + apartMs,
          missing: phases.includes(phase) ? [{ part: 'routing-version', reason: 'late' }] : [],
        }
      : state,
  );

test('zebra, which speaks to no neighbour, hangs where it gave no answer for longer than it is ever busy', () => {
  const both = ['before', 'after'];
  const of = (silent: readonly string[], missing: readonly string[], apartMs = 7_000) =>
    diagnose(ring(all(hanging(silent, 'zebra'), unread(missing, apartMs))));
  const names = (...given: Parameters<typeof of>) =>
    of(...given).findings.map(({ fault, resource }) => `${fault} ${resource}`);
  assert.deepEqual(names(both, both), FOUND);
  assert.deepEqual(names(both, []), []);
  assert.deepEqual(names(both, ['before']), []);
  assert.deepEqual(names(['after'], both), []);
  assert.deepEqual(names([], both), []);
  assert.deepEqual(names(both, both, 6_000), []);
  assert.equal(of(both, both, 6_000).verdict.kind, 'inconclusive');
});

const alone = (names: readonly string[], others: readonly ReturnType<typeof symptom>[]) => {
  const died = symptom('daemon', { nodes: ['a'], detail: { dead: names, alive: ['zebra'] } });
  const [found] = daemonDown.propose(caseOf([died, ...others]), []);
  return [
    found?.score,
    found?.confidence,
    found?.explains
      .map((share) => share.symptom)
      .sort()
      .join(' '),
  ];
};

test('each daemon takes along the protocols that it spoke, those of its own node alone', () => {
  const kinds = ['isis', 'ospf', 'bgp', 'bfd', 'route', 'reach', 'entry', 'slow'] as const;
  const others = [
    ...kinds.map((kind) => symptom(kind, { nodes: ['a', 'b'] })),
    ...kinds.map((kind) => symptom(kind, { id: `${kind} elsewhere`, nodes: ['b', 'c'] })),
  ];
  assert.deepEqual(alone(['isisd'], others), [5, 'certain', 'bfd daemon isis']);
  assert.deepEqual(alone(['bgpd'], others), [5, 'certain', 'bfd bgp daemon']);
  assert.deepEqual(alone(['ospfd'], others), [5, 'certain', 'bfd daemon ospf']);
  assert.deepEqual(alone(['bfdd'], others), [5, 'certain', 'bfd bgp daemon']);
  assert.deepEqual(alone(['zebra'], others), [5, 'certain', 'bfd bgp daemon isis ospf reach route']);
  assert.deepEqual(alone(['staticd'], others), [5, 'certain', 'daemon']);
  assert.deepEqual(alone(['isisd', 'bgpd'], others), [5, 'certain', 'bfd bgp daemon isis']);
});

test('ospfd and ospf6d take along the adjacencies of their own version alone', () => {
  const others = [
    symptom('ospf', { id: 'v2', nodes: ['a', 'b'] }),
    symptom('ospf', { id: 'v3', nodes: ['a', 'b'], detail: { version: 3 } }),
    symptom('ospf', { id: 'v3 elsewhere', nodes: ['b', 'c'], detail: { version: 3 } }),
  ];
  assert.deepEqual(alone(['ospf6d'], others), [5, 'certain', 'daemon v3']);
  assert.deepEqual(alone(['ospfd'], others), [5, 'certain', 'daemon v2']);
  assert.deepEqual(alone(['ospf6d', 'ospfd'], others), [5, 'certain', 'daemon v2 v3']);
  assert.deepEqual(alone(['zebra'], others), [5, 'certain', 'daemon v2 v3']);
});

test('a daemon that was started again explains its own restart alone, and says how long ago', () => {
  const detail = { dead: ['isisd'], alive: ['zebra'], agoMs: 15_000 };
  const again = symptom('restarted', { nodes: ['a'], detail });
  const [found, ...rest] = daemonDown.propose(caseOf([again, symptom('isis', { nodes: ['a'] })]), []);
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [found?.resource, found?.score, found?.explains, found?.evidence, found?.remedy],
    ['node/a', 3, [{ symptom: 'restarted', lost: 1, spread: 0 }], ['source of restarted'], undefined],
  );
  assert.deepEqual(found?.details, {
    ...{ what: 'text of restarted', node: 'a', dead: ['isisd'], over: true, agoMs: 15_000 },
  });
});
