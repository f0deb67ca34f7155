// What a question about one path reads beside the small state, where nothing else tells who is behind a port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readUnnumbered, type UnnumberedAsking } from '#router/drivers/linux-frr/unnumbered.ts';

type Interfaces = Parameters<typeof readUnnumbered>[1];

const BORROWED = ['198.18.255.1/32', 'fe80::1/64'];
const ROWS = { eth1: { ospfEnabled: true, area: '0.0.0.0', routerId: '198.18.255.1' } };
const TABLE = ['eth1', 'eth2'].map((ifname) => ({
  ...{ address: 'fe80::2', ifname, mac: '02:00:00:00:00:02', state: 'STALE' },
}));
const OSPF: Readonly<Record<string, string>> = {
  'ospf-interfaces': JSON.stringify({ interfaces: ROWS }),
  'ospf-neighbours': '{}',
};

type Port = { readonly addresses: readonly string[]; readonly kind?: string; readonly operUp?: boolean };
type Router = { readonly runs?: readonly string[]; readonly answers?: typeof OSPF; readonly hasTable?: boolean };

/** One port, eth1, on which LLDP hears a device where `heard`. */
async function read(port: Port, heard = false, { runs = ['ospfd'], answers = OSPF, hasTable = true }: Router = {}) {
  const asked: string[] = [];
  const missing: string[] = [];
  const asking = {
    helper: {
      call: async (operation: string, { query = operation }: { query?: string }) => {
        asked.push(query);
        if (operation === 'daemons') return runs.map((name) => ({ name, alive: true }));
        if (answers[query] === undefined) throw new Error('no answer');
        return answers[query];
      },
    },
    part: <T>(name: string, absent: T, from: () => Promise<T>) =>
      from().catch(() => {
        missing.push(name);
        return absent;
      }),
    noteCut: (lists: readonly { readonly part: string }[]) => missing.push(...lists.map(({ part }) => part)),
    table: async () => {
      asked.push('table');
      if (!hasTable) throw new Error('no such command');
      return TABLE;
    },
  } as unknown as UnnumberedAsking;
  const interfaces = [{ name: 'eth1', kind: 'physical', operUp: true, ...port }] as unknown as Interfaces;
  const state = await readUnnumbered(asking, interfaces, heard ? [{ ifname: 'eth1' }] : []);
  return { state, asked: asked.sort(), missing };
}

test('a port without a network of its own has the table of neighbours read, and OSPF where LLDP hears no device', async () => {
  for (const kind of ['physical', 'other']) {
    const { state, asked, missing } = await read({ addresses: BORROWED, kind });
    assert.deepEqual([state.ospf?.map(({ ifname }) => ifname), state.neighbourTable], [['eth1'], [TABLE[0]]]);
    assert.deepEqual([asked, missing], [['daemons', 'ospf-interfaces', 'ospf-neighbours', 'table'], []]);
  }
  const heard = await read({ addresses: BORROWED }, true);
  assert.deepEqual([Object.keys(heard.state), heard.asked], [['neighbourTable'], ['table']]);
  const ofIpv6 = await read({ addresses: ['2001:db8::1/128', 'fe80::1/64'] }, false, { runs: [] });
  assert.deepEqual([Object.keys(ofIpv6.state), ofIpv6.asked], [['neighbourTable'], ['daemons', 'table']]);
});

test('what cannot be read is missing', async () => {
  const silent = await read({ addresses: BORROWED }, false, {
    runs: ['ospfd', 'ospf6d'],
    answers: {},
    hasTable: false,
  });
  assert.deepEqual([silent.state, silent.missing.sort()], [{}, ['kernel-tables', 'ospf', 'ospf6']]);
});

test('nothing is asked where a port has a network, has no address, is down or is a loopback', async () => {
  for (const port of [
    { addresses: [...BORROWED, '198.18.7.1/31'] },
    { addresses: [] },
    { addresses: BORROWED, operUp: false },
    { addresses: BORROWED, kind: 'loopback' },
  ])
    assert.deepEqual(await read(port), { state: {}, asked: [], missing: [] });
});
