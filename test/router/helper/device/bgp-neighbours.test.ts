// Single neighbours asked of a bgpd that is played: however long its answers are, they come in bounded reads, and only what is read goes on.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { askBgpNeighbours } from '#router/helper/device/bgp-neighbours.ts';
import { HANG_MS } from '../../../until-written.ts';

const recorded = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');

test('neighbours whose answers are longer than one read together are read, and no neighbour is made up', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bgpd-'));
  const real = JSON.parse(recorded('bgp-neighbours.json.txt')) as Record<string, object>;
  const long = { ...real['127.0.0.3'], neighborCapabilities: 'x'.repeat(30_000) };
  let connections = 0;
  const bgpd = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const peer = /^show bgp neighbors (\S+) json\0$/.exec(chunk.toString())?.[1];
      const told = peer === '203.0.113.1' ? { bgpNoSuchNeighbor: true } : { [peer ?? '']: long };
      socket.write(`${peer === undefined ? '' : JSON.stringify(told)}\0\0\0\0`);
    });
  });
  await new Promise<void>((resolve) => bgpd.listen(join(folder, 'bgpd.vty'), resolve));
  t.after(() => {
    bgpd.close();
    rmSync(folder, { recursive: true });
  });
  const peers = [...Array.from({ length: 63 }, (_, index) => `198.18.0.${index + 1}`), '203.0.113.1'];
  const found = await askBgpNeighbours(folder, peers, AbortSignal.timeout(HANG_MS));
  assert.deepEqual([Object.keys(found), connections], [peers.slice(0, 63), 4]);
  assert.deepEqual(found['198.18.0.1'], {
    ...{ remoteAs: 65_002, localAs: 65_001, localRouterId: '198.18.0.1', bgpState: 'Established' },
    ...{ bgpTimerLastRead: 35_000, bgpTimerUpMsec: 45_000, connectionsEstablished: 1, connectionsDropped: 0 },
    ...{ lastResetDueTo: 'No AFI/SAFI activated for peer' },
    ...{ hostLocal: '127.0.0.2', portLocal: 46_133, hostForeign: '127.0.0.3', portForeign: 1_179 },
    messageStats: {
      ...{ depthInq: 0, depthOutq: 0, notificationsSent: 0, notificationsRecv: 0, updatesSent: 2, updatesRecv: 2 },
    },
    addressFamilyInfo: {
      ipv4Unicast: { acceptedPrefixCounter: 0, sentPrefixCounter: 0 },
      ipv6Unicast: { acceptedPrefixCounter: 0, sentPrefixCounter: 0 },
    },
  });
});
