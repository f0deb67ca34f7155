// The memory of settings: when a change was, as exactly as that can be known, what ends a gap, and how much is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '#model/router/router-port.ts';
import { firstKnown } from '#model/settings/changes.ts';
import { settingsOf } from '#model/settings/node-settings.ts';
import type { RememberedChange } from '#router/drivers/linux-frr/memory/setting-list.ts';
import { createSettingMemory, type EarlierSettings } from '#router/drivers/linux-frr/memory/setting-memory.ts';
import { parseRecord } from '#router/drivers/linux-frr/memory/store/records.ts';
import { createFakeClock } from '../../../../fakes/clock.ts';

const ROUTE = { prefix: '203.0.113.0/24', kind: 'blackhole', protocol: 'boot' };

function stateOf(mtu: number, more: object = {}): NodeState {
  const eth1 = { name: 'eth1', kind: 'physical', adminUp: true, operUp: true, mtu, addresses: [] };
  return {
    inventory: { interfaces: [eth1], system: { kernel: '6.12', routing: 'unknown', hostname: 'r1' } },
    ...{ neighbours: [], adjacencies: [], filters: [], staticRoutes: [], missing: [] },
    ...more,
  } as unknown as NodeState;
}

const HOUR_MS = 3_600_000;

test('a change between two readings in a row has one time, one behind a gap has two', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  memory.add(stateOf(1_500));
  await clock.advance(2_000);
  memory.add(stateOf(1_400));
  await clock.advance(60_000);
  memory.add(stateOf(9_000));
  await clock.advance(5_000);
  const { settings, settingsSpanMs } = memory.history();
  assert.deepEqual(settings, [
    { kind: 'mtu', subject: 'eth1', was: '1400', is: '9000', agoMs: 5_000, fromAgoMs: 65_000 },
    { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400', agoMs: 65_000 },
  ]);
  assert.equal(settingsSpanMs, 67_000);
});

test('a node that is read seldom tells between which two readings a change was', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  for (const [mtu, pauseMs] of [
    [1_500, 5_000],
    [1_400, 8_000],
    [9_000, 0],
  ] as const) {
    memory.add(stateOf(mtu));
    await clock.advance(pauseMs);
  }
  const ages = memory.history().settings.map(({ is, agoMs, fromAgoMs }) => [is, agoMs, fromAgoMs]);
  assert.deepEqual(ages, [
    ['9000', 0, 8_000],
    ['1400', 8_000, undefined],
  ]);
});

test('a change behind a time in which that part could not be read was at some time in it', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  memory.add(stateOf(1_500));
  for (let turn = 0; turn < 60; turn++) {
    await clock.advance(2_000);
    memory.add(stateOf(1_500, { staticRoutes: [], missing: [{ part: 'kernel-tables', reason: 'timed out' }] }));
  }
  await clock.advance(2_000);
  memory.add(stateOf(1_500, { staticRoutes: [ROUTE] }));
  assert.deepEqual(memory.history().settings, [
    {
      ...{ kind: 'static-route', subject: '203.0.113.0/24', is: 'blackhole' },
      ...{ agoMs: 0, fromAgoMs: 122_000 },
    },
  ]);
});

test('what is gone for a moment and comes back as it was is no change; as another value it is one', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  const route = (kind: string) => stateOf(1_500, { staticRoutes: [{ ...ROUTE, kind }] });
  memory.add(route('blackhole'));
  const gap = async (lengthMs: number, after: NodeState) => {
    await clock.advance(2_000);
    memory.add(stateOf(1_500));
    await clock.advance(lengthMs);
    memory.add(after);
    return memory.history().settings.map(({ was, is }) => [was, is]);
  };
  assert.deepEqual(await gap(4_000, route('blackhole')), []);
  assert.deepEqual(await gap(4_000, route('unreachable')), [['blackhole', 'unreachable']]);
  assert.deepEqual(await gap(40_000, route('unreachable')), [
    [undefined, 'unreachable'],
    ['unreachable', undefined],
    ['blackhole', 'unreachable'],
  ]);
});

test('rules of a filter are kept as data with what they changed from, also over a gap and on disk', async () => {
  const clock = createFakeClock();
  const noted: RememberedChange[] = [];
  const memory = createSettingMemory({ clock, onChange: (entry) => noted.push(entry) });
  const rule = {
    family: 'inet',
    table: 'fw',
    chain: 'f',
    path: ['f'],
    hook: 'forward',
    inInterfaces: [],
    outInterfaces: [],
  };
  const filters = (...networks: readonly string[]) => [
    { ...rule, handle: 1, verdict: 'accept', matches: [{ field: 'source', values: networks }], matchesRest: false },
    { ...rule, handle: 0, verdict: 'other', ends: 'drop', matches: [], matchesRest: false },
  ];
  memory.add(stateOf(1_500, { filters: filters('198.19.1.0/24', '198.19.2.0/24') }));
  for (const state of [{ filters: [] }, { filters: filters('198.19.1.0/24') }]) {
    await clock.advance(5_000);
    memory.add(stateOf(1_500, state));
  }
  const was = [
    {
      ...{ verdict: 'accept', path: ['f'], inInterfaces: [], outInterfaces: [], matchesRest: false },
      matches: [{ field: 'source', values: ['198.19.1.0/24', '198.19.2.0/24'] }],
    },
  ];
  assert.deepEqual(
    memory.history().settings.map(({ setting = '', wasRules }) => [setting.split(' ')[0], wasRules]),
    [['accept', was]],
  );
  const written = noted.map(({ change }) => parseRecord(JSON.stringify({ k: 'change', atMs: 1, change })));
  assert.deepEqual(
    written.flatMap((record) => (record?.k === 'change' ? [record.change] : [])),
    noted.map(({ change }) => change),
  );
  const { rows, met, daemonUpMs } = memory.known()!;
  const settings = parseRecord(JSON.stringify({ k: 'settings', atMs: 1, rows, met, daemonUpMs }));
  assert.deepEqual(settings?.k === 'settings' && settings.rows, rows);
  assert.equal(rows.filter(({ rules }) => rules !== undefined).length, 1);
});

test('rules of more interfaces than a memory keeps are no data, and no such data make the rest of a record unreadable', async () => {
  const clock = createFakeClock();
  const noted: RememberedChange[] = [];
  const memory = createSettingMemory({ clock, onChange: (entry) => noted.push(entry) });
  const place = { family: 'inet', table: 'fw', chain: 'f', path: ['f'], hook: 'forward', outInterfaces: [] };
  const ports = (count: number) => Array.from({ length: count }, (_, at) => `vlan${at}`);
  const filters = (count: number, network: string) => [
    {
      ...{ ...place, handle: 1, verdict: 'accept', inInterfaces: ports(count), matchesRest: false },
      matches: [{ field: 'source', values: [network] }],
    },
    { ...place, handle: 0, verdict: 'other', ends: 'drop', inInterfaces: [], matches: [], matchesRest: false },
  ];
  for (const count of [64, 65])
    for (const network of ['198.19.1.0/24', '198.19.2.0/24']) {
      memory.add(stateOf(1_500, { filters: filters(count, network) }));
      const { rows, met, daemonUpMs } = memory.known()!;
      const read = parseRecord(JSON.stringify({ k: 'settings', atMs: 1, rows, met, daemonUpMs }));
      assert.deepEqual(read?.k === 'settings' && read.rows, rows);
      assert.deepEqual(
        rows.flatMap(({ rules }) => rules?.map(({ inInterfaces }) => inInterfaces.length) ?? []),
        count === 64 ? [64] : [],
      );
      await clock.advance(20_000);
    }
  const changes = noted.filter(({ change }) => change.kind === 'filter');
  assert.equal(changes.length >= 3, true);
  for (const { change } of changes) {
    const record = parseRecord(JSON.stringify({ k: 'change', atMs: 1, change }));
    assert.deepEqual(record?.k === 'change' && record.change, change);
  }
  // Written by a version that kept more.
  const wasRules = [
    { verdict: 'accept', path: ['f'], inInterfaces: ports(65), outInterfaces: [], matches: [], matchesRest: false },
  ];
  const { wasRules: _, ...words } = changes[0]!.change;
  const record = parseRecord(JSON.stringify({ k: 'change', atMs: 1, change: { ...words, wasRules } }));
  assert.deepEqual(record?.k === 'change' && record.change, words);
  const row = { kind: 'filter', subject: 'inet fw f', setting: 'accept 1', value: 'accept', needs: [] };
  const settings = parseRecord(
    JSON.stringify({ k: 'settings', atMs: 1, rows: [{ ...row, rules: wasRules }], met: [], daemonUpMs: {} }),
  );
  assert.deepEqual(settings?.k === 'settings' && settings.rows, [row]);
});

test('of changes whose rules are more than a node tells, the newest have their rules', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  const values = Array.from({ length: 64 }, (_, at) => `198.18.${at}.0/24`);
  const rule = { verdict: 'drop' as const, path: ['f'], inInterfaces: [], outInterfaces: [], matchesRest: false };
  const wasRules = new Array(2).fill({ ...rule, matches: [{ field: 'source' as const, values }] });
  for (let turn = 0; turn < 40; turn++) {
    await clock.advance(1_000);
    const change = { kind: 'filter', subject: 'ip fw f', setting: `${turn}`, was: 'drop', wasRules } as const;
    memory.note({ change, at: memory.now() });
  }
  const told = memory.history().settings.map(({ setting, was, wasRules: data }) => [setting, was, data?.length]);
  assert.deepEqual(told.slice(30, 34), [
    ['9', 'drop', 2],
    ['8', 'drop', 2],
    ['7', 'drop', undefined],
    ['6', 'drop', undefined],
  ]);
});

test('what was changed while no agent ran is between its last writing and the first reading', () => {
  const clock = createFakeClock({ nowMs: 1_767_225_600_000 });
  const stopMs = clock.nowMs() - HOUR_MS;
  const earlier: EarlierSettings = {
    changes: [{ change: { kind: 'mtu', subject: 'eth1', was: '9000', is: '1500' }, at: { wallMs: stopMs - HOUR_MS } }],
    known: { settings: firstKnown(settingsOf(stateOf(1_500))), wallMs: stopMs, elapsedMs: HOUR_MS },
    unmet: [],
    sinceMs: stopMs - 24 * HOUR_MS,
  };
  const memory = createSettingMemory({ clock, earlier });
  memory.add(stateOf(1_400));
  const { settings, settingsSpanMs } = memory.history();
  assert.deepEqual(settings, [
    { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400', agoMs: 0, fromAgoMs: HOUR_MS },
    { kind: 'mtu', subject: 'eth1', was: '9000', is: '1500', agoMs: 2 * HOUR_MS },
  ]);
  assert.equal(settingsSpanMs, 25 * HOUR_MS);
});

test('a change whose settings were torn off the disk is not noted again, and a later one is', () => {
  const clock = createFakeClock({ nowMs: 1_767_225_600_000 });
  const wallMs = clock.nowMs() - HOUR_MS;
  const earlier: EarlierSettings = {
    changes: [{ change: { kind: 'mtu', subject: 'eth1', was: '1500', is: '1400' }, at: { wallMs } }],
    known: { settings: firstKnown(settingsOf(stateOf(1_500))), wallMs, elapsedMs: HOUR_MS },
    unmet: [],
  };
  const memory = createSettingMemory({ clock, earlier });
  memory.add(stateOf(1_400));
  memory.add(stateOf(1_500));
  assert.deepEqual(
    memory.history().settings.map(({ is, agoMs }) => [is, agoMs]),
    [
      ['1500', 0],
      ['1400', HOUR_MS],
    ],
  );
});

test('a wall clock that is set back or on makes no change of this agent older or younger, and no earlier one younger than the agent', async () => {
  const clock = createFakeClock({ nowMs: 1_767_225_600_000 });
  const change = { kind: 'mtu', subject: 'eth9', was: '9000', is: '1500' } as const;
  const earlier = { changes: [{ change, at: { wallMs: clock.nowMs() - HOUR_MS } }], unmet: [] };
  const memory = createSettingMemory({ clock, earlier });
  memory.add(stateOf(1_500));
  memory.add(stateOf(1_400));
  await clock.advance(10_000);
  const ages = () => memory.history().settings.map(({ agoMs }) => agoMs);
  clock.setWall(clock.nowMs() - 48 * HOUR_MS);
  assert.deepEqual(ages(), [10_000, 10_000]);
  clock.setWall(clock.nowMs() + 96 * HOUR_MS);
  assert.deepEqual(ages(), [10_000, 49 * HOUR_MS + 10_000]);
});

test('no more than 64 changes of one kind and 256 of all are kept; what was before is not known', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  memory.add(stateOf(0));
  for (let turn = 1; turn <= 70; turn++) {
    await clock.advance(1_000);
    memory.add(stateOf(turn));
  }
  const { settings, settingsSpanMs } = memory.history();
  assert.deepEqual([settings.length, settings[0]?.is, settings.at(-1)?.is], [64, '70', '7']);
  assert.equal(settingsSpanMs, 64_000);
  for (const kind of ['admin', 'address', 'metric', 'session'] as const)
    for (let turn = 0; turn < 64; turn++)
      memory.note({ change: { kind, subject: `eth${turn}`, is: 'x' }, at: memory.now() });
  assert.equal(memory.history().settings.length, 256);
});

test('a daemon whose reading took long was not started again; one that is younger than any reading allows was', async () => {
  const clock = createFakeClock();
  const memory = createSettingMemory({ clock });
  const daemons = (upMs: number) => stateOf(1_500, { daemons: [{ name: 'zebra', alive: true, upMs }] });
  memory.add(daemons(60_000));
  await clock.advance(2_000);
  const beganMs = clock.monotonicMs();
  await clock.advance(8_000);
  memory.add(daemons(62_500), beganMs);
  assert.deepEqual(memory.history().settings, []);
  await clock.advance(10_000);
  memory.add(daemons(3_000), clock.monotonicMs() - 500);
  assert.deepEqual(
    memory.history().settings.map(({ subject, is }) => [subject, is]),
    [['zebra', 'restarted']],
  );
});
