// One host behind a's port `lan`, and what a scan of that port saw, for tests of the faults of hosts.
import type { World } from '#correlate/network/world.ts';
import { ringWorld } from '../proposing.ts';

export const HOST = { ifname: 'lan', address: '198.19.1.10', mac: 'm1' };
export const ROUTER = '198.19.1.1';

export type Scan = Readonly<Record<string, unknown>>;

/** Unless a test says otherwise the host answers for its address and sent nothing. */
export const scanned = (change: Scan = {}): Scan => ({
  ...{ node: 'a', ifname: 'lan', evidence: 'scan', asked: [HOST.address], asks: [], source: '198.19.255.1' },
  ...{ answers: [{ address: HOST.address, macs: [HOST.mac] }] },
  ...change,
});

export const asking = (target: string, change: object = {}) => ({
  asks: [{ mac: HOST.mac, sender: HOST.address, target, ...change }],
});

export function hostWorld(
  scans: readonly Scan[],
  more: object = {},
  state: object = {},
  hosts: readonly object[] = [HOST],
): World {
  const port = { name: 'lan', kind: 'physical', operUp: true, adminUp: true, addresses: [`${ROUTER}/24`] };
  const inventory = { interfaces: [port], sids: [], loopbacks: [] };
  return ringWorld({ hosts: scans, ...more }, { a: { inventory, history: { hosts }, ...state } });
}
