// Hosts with neighbour entries that were set by hand: which of them a node seeks, and which count as heard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrefix } from '#base/ip.ts';
import type { HostPort, HostScanRequest } from '#model/router/hosts.ts';
import type { NodeState } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { createFixedHosts } from '#router/drivers/linux-frr/host-monitor/fixed-hosts.ts';

const [MAC, OTHER] = ['02:00:5e:20:00:10', '02:00:5e:20:00:11'];
const network = (prefix: string) => ({ ...parsePrefix(prefix)!, address: prefix.split('/')[0]! });
const WATCHED = [{ ifname: 'eth3', networks: [network('198.19.1.1/24'), network('2001:db8:1::1/64')] }] as never;
const entry = (address: string, state = 'PERMANENT', ifname = 'eth3') => ({ ifname, address, mac: MAC, state });
const stateOf = (...neighbourTable: readonly object[]) => ({ neighbourTable }) as unknown as NodeState;

function bench(answers: Readonly<Record<string, readonly string[]>>) {
  const asked: (readonly string[])[] = [];
  const fixed = createFixedHosts(async ({ ports }: HostScanRequest) => {
    asked.push(ports.flatMap(({ ifname, addresses }) => addresses.map((address) => `${ifname} ${address}`)));
    return ports.map(
      ({ ifname, addresses }): HostPort => ({
        ...{ ifname, asks: [] },
        answers: addresses.flatMap((address) => ({ address, macs: answers[address] ?? [] })),
      }),
    );
  });
  return { fixed, asked };
}

test('a host with a fixed entry counts as heard once it has answered under the MAC address of the entry', async () => {
  const { fixed, asked } = bench({ '198.19.1.10': [MAC], '198.19.1.11': [OTHER], '198.19.1.12': [] });
  const state = stateOf(
    ...['198.19.1.10', '198.19.1.11', '198.19.1.12'].map((address) => entry(address)),
    ...[
      entry('198.19.1.13', 'REACHABLE'),
      entry('198.19.9.10'),
      entry('2001:db8:1::10'),
      entry('198.19.1.14', 'PERMANENT', 'eth4'),
    ],
  );
  assert.deepEqual(fixed.with([]), []);
  await fixed.seek(state, WATCHED);
  assert.deepEqual(asked, [['eth3 198.19.1.10', 'eth3 198.19.1.11', 'eth3 198.19.1.12']]);
  const heard = { ifname: 'eth3', address: '198.19.1.10', mac: MAC };
  const learned = { ifname: 'eth3', address: '198.19.1.13', mac: OTHER };
  assert.deepEqual(fixed.with([learned]), [learned, heard]);
  assert.deepEqual(fixed.with([heard]), [heard], 'once');
});

test('one that has not answered is sought at every fifteenth look, and one that has no more', async () => {
  const answers: Record<string, readonly string[]> = { '198.19.1.10': [MAC] };
  const { fixed, asked } = bench(answers);
  const state = stateOf(entry('198.19.1.10'), entry('198.19.1.12'));
  for (let look = 0; look <= DRIVER_LIMITS.fixedHostLooks; look++) await fixed.seek(state, WATCHED);
  assert.deepEqual(asked, [['eth3 198.19.1.10', 'eth3 198.19.1.12'], ['eth3 198.19.1.12']]);
  answers['198.19.1.12'] = [MAC];
  for (let look = 0; look < 2 * DRIVER_LIMITS.fixedHostLooks; look++) await fixed.seek(state, WATCHED);
  assert.equal(asked.length, 3, 'all have answered');
  const other = { ...entry('198.19.1.12'), mac: OTHER };
  await fixed.seek(stateOf(other), WATCHED);
  const first = { ifname: 'eth3', address: '198.19.1.12', mac: MAC };
  assert.deepEqual(
    fixed.with([]),
    [first],
    'who had the address first keeps it; without an entry the kernel asks again',
  );
});
