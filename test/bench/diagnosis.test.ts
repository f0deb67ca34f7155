// The diagnosis benchmark without a network: cases follow from the seed, and scores are those that the public benchmarks define.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregate, confusion } from '../../bench/diagnosis/aggregate.ts';
import { bootstrap } from '../../bench/diagnosis/bootstrap.ts';
import { generateCases } from '../../bench/diagnosis/cases.ts';
import type { CaseLine } from '../../bench/diagnosis/line.ts';
import { type NetOpsScore, netOpsTypeOf, placeOf, scoreNetOps } from '../../bench/diagnosis/netopsbench.ts';
import { type NetOpsFigures, netOpsFigures } from '../../bench/diagnosis/netopsbench-figures.ts';
import { kindOf, locationsOf } from '../../bench/diagnosis/planned.ts';
import { nodesOf } from '../../bench/diagnosis/resources.ts';
import { FAULTS } from '../../simulations/lab/faults/catalogue.ts';

const INIT = { seed: 7, count: 40, sizes: ['leaf-spine-4x4', 'abilene'], asking: 'mixed' } as const;

test('the same seed makes the same cases, another seed others', () => {
  assert.deepEqual(generateCases(INIT), generateCases(INIT));
  assert.notDeepEqual(generateCases({ ...INIT, seed: 8 }), generateCases(INIT));
});

test('of ten cases two are healthy, two have several faults, one is over; one has default timers', () => {
  const cases = generateCases(INIT);
  const count = (kind: string) => cases.filter((entry) => entry.kind === kind).length;
  assert.deepEqual(['healthy', 'single', 'several', 'over'].map(count), [8, 20, 8, 4]);
  assert.equal(cases.filter((entry) => entry.timers === 'default').length, 4);
});

test('default timers fall on every kind of case, one in ten of each network', () => {
  const cases = [1, 2, 3, 4, 5].flatMap((seed) => generateCases({ ...INIT, seed, count: 200 }));
  const slow = cases.filter((entry) => entry.timers === 'default');
  assert.equal(slow.length, 100);
  assert.deepEqual([...new Set(slow.map((entry) => entry.kind))].sort(), ['healthy', 'over', 'several', 'single']);
  const [one, other] = INIT.sizes.map((size) => slow.filter((entry) => entry.size === size).length);
  assert.deepEqual([one, other], [50, 50]);
});

test('which cases have default timers changes nothing else about them', () => {
  const [first] = generateCases({ ...INIT, seed: 515253, sizes: ['leaf-spine-xs'], count: 1 });
  assert.deepEqual(
    [first!.id, first!.kind, first!.what, first!.ask.node],
    ['leaf-spine-xs-s515253-001', 'healthy', ['filter at work'], 'spine1'],
  );
});

test('healthy cases have no truth; several faults share no node', () => {
  for (const entry of generateCases({ ...INIT, count: 120 })) {
    assert.equal(entry.truth.pairs.length === 0, entry.kind === 'healthy', entry.id);
    if (entry.kind !== 'several') continue;
    const nodes = entry.inject.map((injection) => {
      assert.ok(injection.where === 'fault');
      const { pairs } = FAULTS.get(injection.fault)!.truth!(injection.parameters, { nodes: [], cables: [] });
      return pairs.flatMap((pair) => nodesOf(pair.resource));
    });
    assert.equal(nodes.length, 2);
    assert.equal(nodes[0]!.filter((node) => nodes[1]!.includes(node)).length, 0, entry.id);
  }
});

test('no question names its fault, and none is put to a dead device', () => {
  for (const entry of generateCases({ ...INIT, count: 200 })) {
    for (const what of entry.what) assert.ok(!entry.ask.intent.includes(what), entry.id);
    const dead = entry.truth.pairs.filter((pair) => pair.fault === 'device_down' && entry.kind !== 'over');
    for (const pair of dead) assert.notEqual(pair.resource, `node/${entry.ask.node}`, entry.id);
  }
});

test('with a silent agent every case has one, and never the one that is asked', () => {
  for (const entry of generateCases({ ...INIT, agents: 'silent' })) {
    const silent = entry.inject.flatMap((one) => (one.where === 'fault' && one.fault === 'agent_silent' ? [one] : []));
    assert.equal(silent.length, 1);
    assert.notEqual(silent[0]!.parameters['node'], entry.ask.node);
  }
});

test('cases come grouped by network and timers', () => {
  const groups = generateCases(INIT).map((entry) => `${entry.size} ${entry.timers}`);
  assert.equal(groups.filter((group, index) => group !== groups[index - 1]).length, 4);
});

const AT = {
  pairs: [{ resource: 'interface/a/eth1', fault: 'packet_loss' }],
  locations: [{ device: 'a', interface: 'eth1' }],
};

test('NetOpsBench gives half a point for the device and half for the interface, of the first finding', () => {
  const score = (resource: string, fault = 'packet_loss') => scoreNetOps('fault', [{ resource, fault }], AT);
  assert.deepEqual(score('interface/a/eth1'), { verdict: true, device: true, interface: true, type: true, score: 1 });
  assert.deepEqual(score('interface/a/eth2'), {
    verdict: true,
    device: true,
    interface: false,
    type: true,
    score: 0.5,
  });
  assert.deepEqual(score('interface/b/eth1')?.score, 0.5);
  assert.deepEqual(score('node/b', 'acl_misconfig'), {
    verdict: true,
    device: false,
    interface: false,
    type: false,
    score: 0,
  });
});

test('NetOpsBench gives nothing without the verdict, also to healthy networks called inconclusive', () => {
  assert.equal(scoreNetOps('inconclusive', [{ resource: 'interface/a/eth1', fault: 'packet_loss' }], AT)?.score, 0);
  assert.equal(scoreNetOps('inconclusive', [], { pairs: [], locations: [] })?.score, 0);
  assert.equal(scoreNetOps('healthy', [], { pairs: [], locations: [] })?.score, 1);
});

test('NetOpsBench takes either end of a link that is down', () => {
  const down = {
    pairs: [{ resource: 'link/a:eth1--b:eth2', fault: 'link_down' }],
    locations: [
      { device: 'a', interface: 'eth1' },
      { device: 'b', interface: 'eth2' },
    ],
  };
  assert.equal(scoreNetOps('fault', [{ resource: 'interface/b/eth2', fault: 'link_down' }], down)?.score, 1);
});

test('of two links between the same nodes the sending interface tells them apart', () => {
  const finding = {
    resource: 'link/a:eth1--b:eth2',
    fault: 'link_packet_corruption',
    details: { from: 'b', fromInterface: 'eth2' },
  };
  assert.deepEqual(placeOf(finding), { device: 'b', interface: 'eth2' });
  assert.deepEqual(placeOf({ ...finding, resource: 'link/b:eth1--b:eth2' }), { device: 'b', interface: 'eth2' });
});

test('NetOpsBench has no case for faults that it does not know', () => {
  const truth = { pairs: [{ resource: 'node/a', fault: 'daemon_down' }], locations: [{ device: 'a' }] };
  assert.equal(scoreNetOps('fault', [], truth), undefined);
});

const line = (over: Partial<CaseLine>): CaseLine => ({
  ...{
    scenario: 'x',
    seconds: 2,
    verdict: 'fault',
    predicted: [],
    truth: [],
    detection: 1,
    localizationF1: 1,
    rcaF1: 1,
  },
  ...{
    report: null,
    size: 's',
    kind: 'single',
    timers: 'fast',
    what: [],
    intent: '',
    reasons: [],
    calls: 10,
    bytes: 1_000,
  },
  ...over,
});
const loss = { resource: 'interface/a/eth1', fault: 'packet_loss' };

test('the interval of equal values is that value, of few different ones it is wide', () => {
  assert.deepEqual(bootstrap([1, 1, 1]), { mean: 1, low: 1, high: 1, cases: 3 });
  assert.deepEqual(bootstrap([0, 1]), { mean: 0.5, low: 0, high: 1, cases: 2 });
  assert.equal(bootstrap([]), null);
});

test('the confusion matrix tells the right fault at the wrong place from the right one', () => {
  const elsewhere = { ...loss, resource: 'interface/b/eth1' };
  assert.deepEqual(
    confusion([
      line({ truth: [loss], predicted: [loss] }),
      line({ truth: [loss], predicted: [elsewhere] }),
      line({ truth: [loss], predicted: [], verdict: 'inconclusive' }),
      line({ truth: [loss], predicted: [], verdict: 'none', failed: 'x' }),
      line({ truth: [], predicted: [loss], kind: 'healthy' }),
      line({ truth: [], predicted: [], verdict: 'healthy', kind: 'healthy' }),
    ]),
    {
      packet_loss: { packet_loss: 1, 'packet_loss elsewhere': 1, inconclusive: 1, 'no answer': 1 },
      healthy: { packet_loss: 1, healthy: 1 },
    },
  );
});

const netOps = (over: Partial<NetOpsScore>): NetOpsScore => ({
  ...{ verdict: true, device: true, interface: true, type: true, score: 1 },
  ...over,
});

test('NetOpsBench’s figures are its own: rounded precision and recall, composite of two rates, whole answers', () => {
  const healthy = { kind: 'healthy', netOpsBench: netOps({ interface: null }) } as const;
  const missed = netOps({ verdict: false, device: false, interface: false, type: false, score: 0 });
  const figures = netOpsFigures([
    line({ netOpsBench: netOps({}) }),
    line({ netOpsBench: netOps({ interface: false, score: 0.5 }) }),
    line({ netOpsBench: netOps({ interface: null }) }),
    line({ netOpsBench: missed }),
    line(healthy),
    line({
      ...healthy,
      netOpsBench: netOps({ verdict: false, device: false, interface: null, type: false, score: 0 }),
    }),
    line({ kind: 'several' }),
  ]);
  const { diagnosisScore, ...rest } = figures;
  assert.deepEqual(rest, {
    ...{ cases: 6, faults: 4, detectionAccuracy: 0.667, precision: 0.75, recall: 0.75, verdictF1: 0.75 },
    ...{ device: 0.75, interface: 0.333, localizationComposite: 0.542, type: 0.75, overallAccuracy: 0.5 },
  });
  assert.equal(diagnosisScore?.mean, 0.583);
});

test('faults that were over when asked are kept apart from NetOpsBench’s figures', () => {
  const over = line({ kind: 'over', netOpsBench: netOps({ verdict: false, score: 0 }) });
  const figures = aggregate([line({ netOpsBench: netOps({}) }), over]);
  assert.equal((figures['netOpsBench'] as NetOpsFigures).recall, 1);
  assert.equal((figures['netOpsBenchOver'] as NetOpsFigures).recall, 0);
});

test('NetOpsBench has no case for a fault at both ends at once', () => {
  for (const id of ['packet_loss_both_ways', 'mtu_low_both_ends']) {
    const truth = FAULTS.get(id)!.truth!(
      { cable: 'a:eth1--b:eth2', percent: 5, mtu: 1_400 },
      { nodes: [], cables: [] },
    );
    assert.equal(truth.pairs.length, 2);
    assert.equal(netOpsTypeOf(truth), undefined, id);
  }
});

const fault = (id: string, parameters: Record<string, unknown>, lastsMs?: number) =>
  ({ where: 'fault', fault: id, parameters, ...(lastsMs === undefined ? {} : { lastsMs }) }) as const;
const at = (resource: string, id = 'packet_loss') => ({ resource, fault: id });

test('of scenario files one fault at two places is one, and the catalogue says where NetOpsBench has it', () => {
  const both = {
    inject: [fault('packet_loss_both_ways', { cable: 'a:eth1--b:eth2', percent: 5 })],
    truth: [at('interface/a/eth1'), at('interface/b/eth2')],
  };
  assert.deepEqual([kindOf(both), locationsOf(both)], ['single', []]);
  const one = {
    inject: [fault('packet_loss', { cable: 'a:eth1--b:eth2', from: 'b:eth2', percent: 5 })],
    truth: [at('interface/b/eth2')],
  };
  assert.deepEqual([kindOf(one), locationsOf(one)], ['single', [{ device: 'b', interface: 'eth2' }]]);
  const past = { ...one, inject: [{ ...one.inject[0]!, lastsMs: 5_000 }] };
  assert.deepEqual([kindOf(past), kindOf({ inject: [], truth: [] })], ['over', 'healthy']);
  const two = { inject: [...one.inject, ...one.inject], truth: [at('interface/b/eth2'), at('interface/c/eth2')] };
  assert.deepEqual([kindOf(two), locationsOf(two)], ['several', []]);
});

test('invalid cases are counted and never scored', () => {
  const figures = aggregate([
    line({ truth: [loss], predicted: [loss] }),
    line({ truth: [loss], rcaF1: 0, invalid: 'did not land' }),
    line({ kind: 'healthy', verdict: 'inconclusive', detection: 0, rcaF1: 0, localizationF1: 0 }),
  ]);
  assert.equal(figures['invalid'], 1);
  assert.deepEqual((figures['faults'] as { rcaF1: unknown }).rcaF1, { mean: 1, low: 1, high: 1, cases: 1 });
  assert.deepEqual(figures['healthy'], {
    runs: 1,
    findings: 0,
    calledHealthy: 0,
    calledFaulty: 0,
    inconclusive: 1,
    noAnswer: 0,
  });
});
