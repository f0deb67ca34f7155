// The faults of hosts against what one scan of their port saw: each condition by itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultDefinition } from '#correlate/engine/fault-definition.ts';
import { hostIncorrectGateway } from '#correlate/faults/hosts/host-incorrect-gateway.ts';
import { hostIncorrectIp } from '#correlate/faults/hosts/host-incorrect-ip.ts';
import { hostIncorrectNetmask } from '#correlate/faults/hosts/host-incorrect-netmask.ts';
import { hostMissingIp } from '#correlate/faults/hosts/host-missing-ip.ts';
import { hasItsAddress, hostPorts, rivalOf } from '#correlate/network/host-ports.ts';
import { asking, HOST, hostWorld, ROUTER, type Scan, scanned } from './host-scene.ts';

const of = (fault: FaultDefinition, ...given: Parameters<typeof hostWorld>) =>
  fault.detect!({ world: hostWorld(...given), facts: [] }).map(({ subject, confidence, detail }) => [
    ...[subject, confidence, detail['gateway'] ?? detail['now'] ?? detail['asks']],
  ]);
const AT_HOST = `node/${HOST.address}`;
const AT_PORT = 'interface/a/lan';

const MISSING = '198.19.1.254';
const lost = (change: Scan = {}) =>
  scanned({ echoed: [], ...asking(MISSING), asked: [HOST.address, MISSING], ...change });
const gateway = (...scans: readonly Scan[]) => of(hostIncorrectGateway, scans);

test('a wrong gateway: asked for by the host, asked for by us, of its network, and no device there', () => {
  assert.deepEqual(gateway(lost()), [[AT_HOST, 'certain', MISSING]]);
  assert.deepEqual(gateway(lost({ asked: [HOST.address] })), [], 'we did not ask for it');
  assert.deepEqual(gateway(lost({ ...asking(ROUTER), asked: [ROUTER] })), []);
  assert.deepEqual(gateway(lost({ ...asking('203.0.113.1'), asked: ['203.0.113.1'] })), []);
  assert.deepEqual(gateway(lost(asking(MISSING, { sender: '198.19.1.11' }))), []);
  assert.deepEqual(gateway(lost(asking(MISSING, { mac: 'm2' }))), []);
  const there = { answers: [...(scanned()['answers'] as object[]), { address: MISSING, macs: ['m9'] }] };
  assert.deepEqual(gateway(lost(there)), []);
});

test('a host is unreachable when echoes from off its link were tried and it answered none', () => {
  assert.deepEqual(gateway(lost({ echoed: undefined })), []);
  assert.deepEqual(gateway(lost({ echoed: [HOST.address] })), []);
  assert.equal(gateway(lost({ echoed: ['198.19.1.11'] })).length, 1);
  assert.deepEqual(gateway(lost(), scanned({ echoed: [HOST.address] })), []);
  assert.deepEqual(gateway(lost({ answers: [] })), [], 'it does not have its address');
});

const SILENT = { answers: [] };
const now = (address: string, macs = [HOST.mac]) => scanned({ answers: [{ address, macs }] });
const moved = (...scans: readonly Scan[]) => of(hostIncorrectIp, scans);

test('another address of another network, as an answer or as the sender of an ARP request', () => {
  const named = (address: string) => [[AT_PORT, 'certain', address]];
  assert.deepEqual(moved(scanned(SILENT), now('198.19.7.10')), named('198.19.7.10'));
  assert.deepEqual(moved(now('198.19.7.10', ['m2'])), []);
  assert.deepEqual(moved(now('198.19.1.20')), [], 'given out anew');
  assert.deepEqual(moved(scanned(), now('198.19.7.10')), [], 'it answers for its own as well');
  const asks = (sender: string) => scanned({ ...SILENT, ...asking('x', { sender }) });
  assert.deepEqual(moved(asks('198.19.7.10')), named('198.19.7.10'));
  assert.deepEqual([moved(asks('0.0.0.0')), moved(asks(HOST.address))], [[], []]);
  assert.deepEqual(moved(scanned({ ...SILENT, ...asking('x', { sender: '198.19.7.10', mac: 'm2' }) })), []);
  const other = { ...HOST, address: '198.19.1.30', mac: 'm1' };
  assert.deepEqual(
    of(hostIncorrectIp, [now(other.address)], {}, {}, [HOST, other]),
    [],
    'another address that it always had',
  );
});

test('a host that lives without its address and without another one misses it', () => {
  const missing = (...scans: readonly Scan[]) => of(hostMissingIp, scans);
  const alive = scanned({ ...SILENT, alive: [HOST.mac] });
  assert.deepEqual(missing(alive), [[AT_PORT, 'likely', undefined]]);
  assert.deepEqual(missing(scanned({ ...SILENT, alive: ['m2'] })), []);
  assert.deepEqual(missing(scanned(SILENT)), []);
  assert.deepEqual(missing(scanned({ alive: [HOST.mac] })), []);
  assert.deepEqual(missing(alive, now('198.19.7.10')), []);
  assert.deepEqual(missing(alive, scanned()), []);
});

const FAR = '198.19.2.1';
const owners = new Map([[FAR, [{ node: 'c', ifname: 'lan' }]]]);
const echo = (change: object = {}) => ({
  serviceProbes: [{ from: 'c', destination: HOST.address, service: 'echo', answered: false, ...change }],
});
const mask = (scan: Scan, more: object = {}) => of(hostIncorrectNetmask, [scanned(scan)], { owners, ...more });

test('a mask that is too short: an address off the link that we asked from, or whose node tried in vain', () => {
  const named = [[AT_PORT, 'certain', FAR]];
  assert.deepEqual(mask(asking(FAR), echo()), named);
  assert.deepEqual(mask({ ...asking(FAR), source: FAR }), named);
  assert.deepEqual(mask(asking(FAR)), [], 'no node tried');
  for (const change of [{ answered: true }, { from: 'b' }, { service: 'udp' }, { destination: '198.19.1.11' }])
    assert.deepEqual(mask(asking(FAR), echo(change)), [], JSON.stringify(change));
  assert.deepEqual(mask({ ...asking('198.19.1.77'), source: '198.19.1.77' }), [], 'on its link');
  assert.deepEqual(mask({ ...asking(FAR, { sender: '198.19.1.11' }), source: FAR }), []);
  assert.deepEqual(mask({ ...asking(FAR, { mac: 'm2' }), source: FAR }), []);
  assert.deepEqual(mask({ ...asking(FAR), source: FAR, answers: [] }), []);
  assert.deepEqual(mask({ ...asking(FAR), source: undefined }), []);
  const both = { serviceProbes: [...echo().serviceProbes, ...echo({ answered: true }).serviceProbes] };
  assert.deepEqual(mask(asking(FAR), both), []);
});

const ports = (...given: Parameters<typeof hostWorld>) => hostPorts(hostWorld(...given));

test('ports that are up, have a network of hosts, and were scanned', () => {
  assert.equal(ports([scanned()]).length, 1);
  assert.deepEqual(ports([]), []);
  assert.deepEqual(ports([scanned({ ifname: 'x' })]), []);
  const port = (change: object) =>
    ports(
      [scanned()],
      {},
      {
        inventory: {
          interfaces: [{ name: 'lan', kind: 'physical', operUp: true, addresses: [`${ROUTER}/24`], ...change }],
        },
      },
    ).length;
  assert.deepEqual(
    [port({}), port({ operUp: false }), port({ addresses: [] }), port({ addresses: ['198.19.1.0/31'] })],
    [1, 0, 0, 0],
  );
});

test('another device that answers for the host’s address beside it is its rival, but for its own second port', () => {
  const second = { ifname: 'lan', address: '198.19.1.11', mac: 'm2' };
  const rival = (answers: readonly object[], hosts: readonly object[] = [HOST]) => {
    const [port] = ports([scanned({ answers })], {}, {}, hosts);
    return [rivalOf(port!, HOST as never), hasItsAddress(port!, HOST as never)];
  };
  const own = (...macs: readonly string[]) => ({ address: HOST.address, macs });
  assert.deepEqual(rival([own('m1')]), [undefined, true]);
  assert.deepEqual(rival([own('m1', 'm2')]), ['m2', false]);
  assert.deepEqual(rival([own('m2')]), [undefined, false]);
  assert.deepEqual(rival([own('m1'), own('m2')]), ['m2', false]);
  assert.deepEqual(rival([own('m1', 'm2'), { address: second.address, macs: ['m2', 'm1'] }], [HOST, second]), [
    undefined,
    true,
  ]);
  assert.deepEqual(rival([own('m1', 'm2'), { address: second.address, macs: ['m2'] }], [HOST, second]), ['m2', false]);
});
