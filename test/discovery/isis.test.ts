// Discovery by IS-IS over a speaker in memory: announcing, hearing, and everything another system can do wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { silentLog } from '#base/log.ts';
import { createIsisDiscovery } from '#discovery/isis/discovery.ts';
import { formatSystemId, parseArea, parseSystemId, speakerSystemId } from '#discovery/isis/system-id.ts';
import type { IsisEvent } from '#model/router/router-port.ts';
import { parseIsisEvent } from '#router/drivers/linux-frr/isis-port.ts';
import { discoveryContract } from '../contracts/discovery.ts';
import { createFakeIsisPort } from '../fakes/isis-port.ts';
import { A, B, createDiscoveryBed, descriptorOf, hexOf } from './discovery-bed.ts';

const SYSTEM = '02aabbccdd03';
const system = (...announcements: readonly string[]): IsisEvent & { kind: 'system' } => ({
  kind: 'system',
  systemId: SYSTEM,
  hostname: 'parley-pe3',
  announcements,
  faults: [],
});

const setUp = () => {
  const bed = createDiscoveryBed();
  const { clock, table, own } = bed;
  const port = createFakeIsisPort();
  const init = { node: 'pe1', ifname: 'isis0', systemId: '02aabbccdd01', own, clock, log: silentLog };
  return { ...bed, port, discovery: createIsisDiscovery({ port, table, ...init }) };
};

discoveryContract('IS-IS', () => {
  const { clock, port, table, discovery } = setUp();
  return {
    discovery,
    table,
    appear: (node) => port.setArea([system(hexOf(descriptorOf(node)))]),
    settle: () => clock.advance(1_000),
  };
});

test('announces the same descriptor as LLDP, again after a rotation without a new run [CARD-2]', async () => {
  const { port, discovery, rotate } = setUp();
  await discovery.announceAgain();
  await discovery.start();
  assert.equal(port.announced, hexOf(descriptorOf('pe1')));
  assert.deepEqual(
    { ...port.requests[0], information: '' },
    {
      ifname: 'isis0',
      node: 'pe1',
      systemId: '02aabbccdd01',
      information: '',
    },
  );
  rotate(B);
  await discovery.announceAgain();
  assert.equal(port.announced, hexOf(descriptorOf('pe1', B)));
  assert.equal(port.requests.length, 1);
  await discovery.stop();
  assert.equal(port.announced, undefined);
});

test("turns a system's descriptor into a hint with everything it says [CARD-2]", async () => {
  const { clock, port, table, discovery } = setUp();
  await discovery.start();
  port.emit(system(hexOf(descriptorOf('pe3'))));
  assert.deepEqual(table.find('pe3')?.hints, [
    { source: 'isis', ...descriptorOf('pe3'), heardOn: 'isis0/02aa.bbcc.dd03', hops: 0, heardAtMs: clock.nowMs() },
  ]);
  await discovery.stop();
});

test('the hint of a system that is gone is dropped, and a verified peer stays [CARD-2]', async () => {
  const { port, table, discovery } = setUp();
  await discovery.start();
  port.emit(system(hexOf(descriptorOf('pe3'))));
  port.emit({ kind: 'gone', systemId: '02aabbccdd99' });
  assert.notEqual(table.find('pe3'), undefined);
  port.emit({ kind: 'gone', systemId: SYSTEM });
  assert.equal(table.find('pe3'), undefined);
  port.emit(system(hexOf(descriptorOf('pe3'))));
  table.verified('pe3', { thumbprint: A, address: 'fd00::3', port: 9514, atMs: 0 });
  port.emit({ kind: 'gone', systemId: SYSTEM });
  assert.deepEqual(table.find('pe3')?.hints, []);
  assert.equal(table.find('pe3')?.verified?.address, 'fd00::3');
  await discovery.stop();
});

test('a system that changes its mind replaces its claim and is no rival of itself', async () => {
  const { port, table, discovery, remarksOf } = setUp();
  await discovery.start();
  port.emit(system(hexOf(descriptorOf('pe3'))));
  port.emit(system(hexOf(descriptorOf('pe3', B))));
  assert.deepEqual(
    table.find('pe3')?.hints.map(({ thumbprint }) => thumbprint),
    [B],
  );
  assert.deepEqual(remarksOf('pe3'), []);
  port.emit(system(hexOf(descriptorOf('pe4'))));
  assert.equal(table.find('pe3'), undefined);
  assert.equal(table.find('pe4')?.hints.length, 1);
  await discovery.stop();
});

test('malformed, doubled and empty announcements become remarks and take the hint back [CARD-2]', async () => {
  const { port, table, discovery, remarksOf } = setUp();
  await discovery.start();
  const good = hexOf(descriptorOf('pe3'));
  const where = 'malformed: isis0/02aa.bbcc.dd03';
  const cases: readonly [IsisEvent, string][] = [
    [system('00ff'), `${where}: shorter than its fixed part`],
    [system(good, hexOf(descriptorOf('pe4'))), `${where}: more than one announcement`],
    [{ ...system(), faults: ['TLV 251 without a descriptor'] }, `${where}: TLV 251 without a descriptor`],
  ];
  for (const [event, remark] of cases) {
    port.emit(system(good));
    assert.equal(table.find('pe3')?.hints.length, 1);
    port.emit(event);
    assert.equal(table.find('pe3')?.hints.length ?? 0, 0, remark);
    assert.ok(remarksOf('pe3')?.includes(remark) ?? false, `${remark} in ${remarksOf('pe3')}`);
  }
  const { hostname: _, ...nameless } = system('00');
  port.emit(nameless);
  assert.deepEqual(remarksOf('unknown@isis0/02aa.bbcc.dd03'), [`${where}: shorter than its fixed part`]);
  port.emit({ kind: 'malformed', detail: 'another version' });
  await discovery.stop();
});

test('two systems with one name are both kept, with a remark; our own name is a lie [CARD-2]', async () => {
  const { port, table, discovery, remarksOf } = setUp();
  await discovery.start();
  port.emit(system(hexOf(descriptorOf('pe3'))));
  port.emit({ ...system(hexOf(descriptorOf('pe3', B))), systemId: '02aabbccdd04' });
  assert.equal(table.find('pe3')?.hints.length, 2);
  assert.match(remarksOf('pe3')?.join() ?? '', /^lying: two claimants for one name/);
  port.emit(system(hexOf(descriptorOf('pe1', B))));
  assert.deepEqual(remarksOf('pe1'), ['lying: isis0/02aa.bbcc.dd03: announces the name of this node']);
  await discovery.stop();
});

test('a speaker that ends takes its hints along and is begun again, after longer and longer waits', async () => {
  const { clock, port, table, discovery } = setUp();
  await discovery.start();
  port.emit(system(hexOf(descriptorOf('pe3'))));
  const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
  for (const [index, waitMs] of waits.entries()) {
    port.end(new ParleyError('node/helper-unreachable', 'gone'));
    await clock.advance(waitMs - 1);
    assert.equal(port.requests.length, index + 1);
    assert.equal(table.find('pe3'), undefined);
    await clock.advance(1);
    assert.equal(port.requests.length, index + 2);
  }
  await clock.advance(60_000);
  port.end(new ParleyError('node/helper-unreachable', 'gone'));
  await clock.advance(1_000);
  assert.equal(port.requests.length, waits.length + 2);
  await discovery.stop();
  assert.equal(clock.sleepers, 0);
});

test('what only a configuration can mend is tried every ten minutes: each try is an adjacency', async () => {
  const { clock, port, discovery } = setUp();
  await discovery.start();
  port.end(new ParleyError('node/isis-password', 'passwords'));
  await clock.advance(599_999);
  assert.equal(port.requests.length, 1);
  await clock.advance(1);
  assert.equal(port.requests.length, 2);
  await discovery.stop();
});

test('ids: as operators write them, and one of its own for every node of every domain', () => {
  assert.equal(parseSystemId('02AB.cdef.0123'), '02abcdef0123');
  assert.equal(parseSystemId('02abcdef0123'), undefined);
  assert.equal(formatSystemId('02abcdef0123'), '02ab.cdef.0123');
  assert.deepEqual(['49.0001', '49', '49.000', ''].map(parseArea), ['490001', '49', undefined, undefined]);
  assert.equal(speakerSystemId('example.net', 'pe1'), speakerSystemId('example.net', 'pe1'));
  const ids = ['pe1', 'pe2', 'p2'].flatMap((node) =>
    ['a.example', 'b.example'].map((each) => speakerSystemId(each, node)),
  );
  assert.equal(new Set(ids).size, 6);
  assert.ok(ids.every((id) => /^02[0-9a-f]{10}$/.test(id)));
});

test("the helper's events are read, and what is none is left out", () => {
  const heard = system('00ff');
  for (const event of [heard, { kind: 'gone', systemId: SYSTEM }, { kind: 'adjacency', state: 'up' }] as const)
    assert.deepEqual(parseIsisEvent(JSON.stringify(event)), event);
  assert.deepEqual(parseIsisEvent('{"kind":"malformed"}'), { kind: 'malformed', detail: '' });
  for (const text of ['', '[]', '{}', '{"kind":"gone"}', '{"kind":"system"}', '{"kind":"other"}'])
    assert.equal(parseIsisEvent(text), undefined, text);
  assert.deepEqual(parseIsisEvent('{"kind":"system","systemId":"1","announcements":[1,"00"],"faults":3}'), {
    kind: 'system',
    systemId: '1',
    announcements: ['00'],
    faults: [],
  });
});
