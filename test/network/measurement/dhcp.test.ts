// The tool that asks DHCP servers: for another node only those of this network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Party } from '#model/identity.ts';
import type { DhcpAsk } from '#model/router/dhcp.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { dhcpTool } from '#network/measurement/dhcp.ts';

const NODE: Party = { kind: 'node', domain: 'lab', name: 'pe3', thumbprint: 'bb'.repeat(32) };
const OPERATOR: Party = { kind: 'operator', domain: 'lab', name: 'ann' };

async function asked(caller: Party): Promise<readonly string[]> {
  const seen: string[] = [];
  const router = {
    routes: async (destinations: readonly string[]) =>
      destinations.map((destination) => ({
        destination,
        kind: 'unicast',
        matched: destination.startsWith('198.19.') ? '198.19.3.0/24' : 'default',
      })),
    dhcp: async (asks: readonly DhcpAsk[], patient: boolean) => {
      seen.push(...asks.map(({ server }) => `${server} ${patient}`));
      return [];
    },
  } as unknown as RouterPort;
  const asks = ['198.19.3.10', '203.0.113.9'].map((server) => ({ ifname: 'eth3', gateway: '198.19.1.1', server }));
  const context = { caller, signal: new AbortController().signal, progress: () => {} };
  assert.deepEqual(await dhcpTool(router).call({ asks, patient: true }, context), { answers: [] });
  return seen;
}

test('another node has only servers of this network asked, and nobody beyond the default route [TS-14a]', async () => {
  assert.deepEqual(await asked(NODE), ['198.19.3.10 true']);
  assert.deepEqual(await asked(OPERATOR), ['198.19.3.10 true', '203.0.113.9 true']);
});
