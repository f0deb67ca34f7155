// What a node tries of the services on its ports, and behind which port it remembers their answers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { History } from '#model/router/control-plane.ts';
import type { ServiceProbe } from '#model/router/hosts.ts';
import type { NodeState, RouteAnswer } from '#model/router/router-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { startHostMonitor } from '#router/drivers/linux-frr/host-monitor/host-monitor.ts';
import type { ReadHelper } from '#router/protocol/typed-operations.ts';
import { createFakeClock } from '../../../../fakes/clock.ts';

const ports = ['eth3', 'eth4'].map((name) => ({
  name,
  kind: 'physical',
  operUp: true,
  addresses: ['198.19.1.1/24', '2001:db8:1::1/64'],
}));
const STATE = { inventory: { interfaces: ports } } as unknown as NodeState;
const served = (ifname: string, address: string) => ({ ifname, address, service: 'tcp', port: 80, agoMs: 0 }) as const;

/** One look at the services that were seen; `ways`: address → interface of the route to it. */
async function looked(t: TestContext, services: History['services'], ways: Readonly<Record<string, string>>) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const call = async (operation: string, { serviceProbes }: { readonly serviceProbes: readonly ServiceProbe[] }) => {
    assert.equal(operation, 'watch-services');
    asked.push(...serviceProbes.map(({ destination }) => destination));
    return serviceProbes.map((each) => ({ ...each, sent: 1, answered: true, open: true, reply: 'page' }));
  };
  const monitor = startHostMonitor({
    helper: { call } as unknown as ReadHelper,
    ...{ clock, hosts: false, services: true },
    known: () => ({ state: STATE, history: { spanMs: 0, events: [], lastHeard: [], services: services! } }),
    routes: async (destinations) =>
      destinations.map((destination) => ({ destination, ifname: ways[destination] }) as unknown as RouteAnswer),
  });
  t.after(() => monitor.stop());
  await clock.advance(DRIVER_LIMITS.hostScanMs);
  const { answered = [] } = monitor.watched(false);
  return { asked, answered: answered.map(({ ifname, address, times }) => ({ ifname, address, times })) };
}

test('an answer is remembered behind the port over which the server was reached, not the one where it was seen first', async (t) => {
  const services = [served('eth3', '198.19.1.10'), served('eth4', '198.19.1.10')];
  assert.deepEqual(await looked(t, services, { '198.19.1.10': 'eth4' }), {
    asked: ['198.19.1.10'],
    answered: [{ ifname: 'eth4', address: '198.19.1.10', times: 1 }],
  });
});

test('a server to which no route leads over the port where it was seen is not asked, and nothing is remembered of it', async (t) => {
  const services = [served('eth3', '198.19.1.10'), served('eth3', '198.19.1.11')];
  assert.deepEqual(await looked(t, services, { '198.19.1.10': 'eth9' }), { asked: [], answered: [] });
});

test('a server over IPv6 is asked and remembered as one over IPv4, and no scan asks for its address', async (t) => {
  const services = [served('eth3', '2001:db8:1::10'), served('eth3', '198.19.1.10'), served('eth3', '2001:db8:2::10')];
  const ways = { '2001:db8:1::10': 'eth3', '198.19.1.10': 'eth3', '2001:db8:2::10': 'eth3' };
  assert.deepEqual(await looked(t, services, ways), {
    asked: ['198.19.1.10', '2001:db8:1::10'],
    answered: [
      { ifname: 'eth3', address: '198.19.1.10', times: 1 },
      { ifname: 'eth3', address: '2001:db8:1::10', times: 1 },
    ],
  });
});

test('sixteen services of each family are tried in a look: those over IPv6 push out none over IPv4', async (t) => {
  const last = Array.from({ length: 20 }, (_, index) => index + 10);
  const addresses = last.flatMap((each) => [`2001:db8:1::${each}`, `198.19.1.${each}`]);
  const services = addresses.map((address) => served('eth3', address));
  const { asked } = await looked(t, services, Object.fromEntries(addresses.map((each) => [each, 'eth3'])));
  for (const prefix of ['198.19.1.', '2001:db8:1::'])
    assert.deepEqual(
      asked.filter((each) => each.startsWith(prefix)),
      last.slice(0, 16).map((each) => `${prefix}${each}`),
    );
});

test('hosts that ask over IPv6 in vain are remembered on the port of their own network', (t) => {
  const clock = createFakeClock();
  const monitor = startHostMonitor({
    helper: { call: async () => [] } as unknown as ReadHelper,
    ...{ clock, hosts: true, services: true },
    known: () => ({ state: STATE, history: { spanMs: 0, events: [], lastHeard: [] } }),
    routes: async () => [],
  });
  t.after(() => monitor.stop());
  const asks = (client: string) => ({ ifname: 'eth3', client, server: '2001:db8:3::10', port: 80 });
  const used = { used: 2, once: 0, unanswered: 0, repeats: 0 };
  const vain = { used: 0, once: 0, unanswered: 2, repeats: 2 };
  for (const each of [used, vain])
    monitor.heard({
      ...{ asks: [], names: [] },
      connections: ['2001:db8:1::10', '2001:db8:2::10'].map((client) => ({ ...asks(client), ...each })),
    });
  const rows = monitor.watched(false).unanswered?.map(({ client, server, times }) => [client, server, times]);
  assert.deepEqual(rows, [['2001:db8:1::10', '2001:db8:3::10', 2]]);
});

test('a host that answered a look has the age of that answer', async (t) => {
  const clock = createFakeClock();
  const host = { ifname: 'eth3', address: '198.19.1.10', mac: '02:00:00:00:01:10' };
  const away = { ifname: 'eth3', address: '198.19.1.11', mac: '02:00:00:00:01:11' };
  const seen = { ifname: 'eth3', answers: [{ address: host.address, macs: [host.mac] }], asks: [] };
  const monitor = startHostMonitor({
    helper: { call: async () => [seen] } as unknown as ReadHelper,
    ...{ clock, hosts: true, services: false },
    known: () => ({ state: STATE, history: { spanMs: 0, events: [], lastHeard: [], hosts: [host, away] } }),
    routes: async () => [],
  });
  t.after(() => monitor.stop());
  await clock.advance(DRIVER_LIMITS.hostScanMs);
  assert.deepEqual(monitor.aged([host, away]), [{ ...host, answeredAgoMs: 0 }, away]);
});
