// What a question about one path reads beside the small state, where nothing else tells who is behind a port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUnnumbered } from '#router/drivers/linux-frr/unnumbered.ts';

type Interfaces = Parameters<typeof readUnnumbered>[1];

const BORROWED = ['198.18.255.1/32', 'fe80::1/64'];
const ROWS = { eth1: { ospfEnabled: true, area: '0.0.0.0', routerId: '198.18.255.1' } };
const TABLE = ['eth1', 'eth2'].map((ifname) => ({
  ...{ address: 'fe80::2', ifname, mac: '02:00:00:00:00:02', state: 'STALE' },
}));

const asked: string[] = [];

/** One port, on which LLDP hears a neighbour where `heardOn` names it; OSPFv3 is not there. */
async function read(addresses: readonly string[], heardOn: readonly string[] = [], change: object = {}, table = TABLE) {
  asked.length = 0;
  const ports = [{ name: 'eth1', kind: 'physical', operUp: true, addresses, ...change }] as unknown as Interfaces;
  return readUnnumbered(
    {
      frr: async (query: string) => {
        asked.push(query);
        if (query === 'ospf-interfaces') return JSON.stringify({ interfaces: ROWS });
        if (query === 'ospf-neighbours') return '{}';
        throw new Error('no such daemon');
      },
      table: async () => {
        asked.push('table');
        if (table.length === 0) throw new Error('no such command');
        return table;
      },
    },
    ports,
    heardOn.map((ifname) => ({ ifname })),
  );
}

test('a port without a network of its own and without LLDP has OSPF and the table of neighbours read', async () => {
  const { ospf, ospf6, neighbourTable } = await read(BORROWED);
  assert.deepEqual([ospf?.map(({ ifname }) => ifname), ospf6, neighbourTable], [['eth1'], undefined, [TABLE[0]]]);
  assert.deepEqual([...asked].sort(), ['ospf-interfaces', 'ospf-neighbours', 'ospf6-instance', 'table']);
});

test('what cannot be read is left out', async () => {
  assert.deepEqual(Object.keys(await read(BORROWED, [], {}, [])), ['ospf']);
});

test('nothing is asked where a port has a network, hears LLDP, has no address, is down or is a loopback', async () => {
  for (const [addresses, heardOn, change] of [
    [[...BORROWED, '198.18.7.1/31']],
    [BORROWED, ['eth1']],
    [[]],
    [BORROWED, [], { operUp: false }],
    [BORROWED, [], { kind: 'loopback' }],
  ] as const) {
    assert.deepEqual(await read(addresses, heardOn, change), {});
    assert.deepEqual(asked, []);
  }
});
