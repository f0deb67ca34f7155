// A NETCONF device that goes away in the middle, and comes back: what was under way fails by name, what was unconfirmed is undone by the
// device unless it was to persist, and the driver finds its way back. On a real netconfd; the network is cut between it and the driver.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import { DRIVER_LIMITS } from '#router/drivers/limits.ts';
import { openNetconf } from '#router/drivers/netconf/open.ts';
import { settle } from '../contracts/router-port.ts';
import { NETCONF_USER, type NetconfBed, upNetconfBed } from './netconf-bed.ts';

const ANN = 'operator/ann';
const INTERFACE = "/ietf-interfaces:interfaces/interface[name='eth1']";
type Ports = {
  readonly device: DevicePort;
  readonly configuration: ConfigurationPort;
  close(): Promise<void>;
};

let bed: NetconfBed;
let ports: Ports;
const opened: DevicePort[] = [];
before(async () => {
  bed = await upNetconfBed();
  ports = open();
});
after(async () => {
  for (const device of opened) await device.close();
  await bed?.down();
});

function open(): Ports {
  const { device, router } = openNetconf({
    node: 'r1',
    host: '127.0.0.1',
    port: bed.port,
    user: NETCONF_USER,
    hostKeys: [bed.hostKey],
    keyFile: bed.keyFile,
    clock: createSystemClock(),
    log: silentLog,
  });
  opened.push(device);
  const close = async () => {
    await router.close?.();
    await device.close();
  };
  return { device, configuration: router.configuration!, close };
}

const describe = ({ configuration }: Ports, text: string) =>
  configuration.editData!(ANN, [
    { path: `${INTERFACE}/type`, operation: 'merge', value: 'iana-if-type:ethernetCsmacd' },
    { path: `${INTERFACE}/description`, operation: 'merge', value: text },
  ]);

async function described(): Promise<string> {
  const text = await ports.device.configuration('running');
  return /<description>([^<]*)<\/description>/.exec(text)?.[1] ?? '';
}

/** The first read after a loss may come in the pause before the next dial. */
const again = <T>(read: () => Promise<T>) => {
  let value: T | undefined;
  return settle(
    async () => {
      value = await read().catch(() => undefined);
      return value !== undefined;
    },
    'the device to answer again',
    15_000,
  ).then(() => value as T);
};

test('notifications of the device are its log, and watchers get them as they come', async () => {
  const heard: string[] = [];
  const stop = ports.device.watchLog((lines) => heard.push(...lines));
  await ports.device.log(1);
  await describe(ports, 'first');
  const { id } = await ports.configuration.commit(ANN, { timeoutMs: 30_000 });
  await ports.configuration.verified(id);
  await ports.configuration.confirm(ANN);
  await settle(async () => heard.some((line) => line.includes('netconf-config-change')), 'the change to be told');
  stop();
  const kept = (await ports.device.log(50)).join('\n');
  assert.match(kept, /netconf-config-change changed-by=\{username=netconf .*target=\/if:interfaces/);
  assert.match(kept, /netconf-confirmed-commit .*confirm-event=complete/);
});

test('a candidate that another session of the device holds is held, and retrying may help [NET-13]', async () => {
  const other = open();
  await describe(other, 'elsewhere');
  await assert.rejects(describe(ports, 'here'), (error: { code: string; data: Record<string, unknown> }) => {
    assert.deepEqual(
      [error.code, error.data['retryPossible'], error.data['wireCode']],
      ['caller/candidate-held', true, -32084],
    );
    return true;
  });
  await other.configuration.discard(ANN);
  await describe(ports, 'here');
  await ports.configuration.discard(ANN);
});

test('a lost session ends an unconfirmed change: the device undoes it, and we say so after having seen it [NET-15]', async () => {
  await describe(ports, 'lost');
  const { id } = await ports.configuration.commit(ANN, { timeoutMs: 60_000 });
  assert.equal(await described(), 'lost');
  bed.cut();
  await settle(async () => (await ports.configuration.open()) === undefined, 'the change to be undone', 15_000);
  assert.equal(await again(described), 'first');
  const last = (await ports.configuration.history()).at(-1);
  assert.deepEqual([last?.id, last?.state, last?.reason], [id, 'ROLLED_BACK', 'the session with the device was lost']);
  await assert.rejects(ports.configuration.confirm(ANN), { code: 'caller/no-commit' });
});

test('with persist a change outlives its session and is confirmed over the next one [NET-15]', async () => {
  await describe(ports, 'kept');
  const { id } = await ports.configuration.commit(ANN, { timeoutMs: 60_000, persist: 'token-1' });
  await ports.configuration.verified(id);
  bed.cut();
  assert.equal(await again(described), 'kept');
  assert.equal((await ports.configuration.confirm(ANN, 'token-1')).state, 'CONFIRMED');
  assert.equal(await described(), 'kept');
});

test('a persistent change outlives the agent: another one confirms it, or undoes it, by its token alone [NET-15]', async () => {
  /** As an agent that ends and is started again: nothing is left of the change but the device and the token. */
  const restarted = async () => {
    await ports.close();
    ports = open();
  };
  await describe(ports, 'outlives');
  await ports.configuration.commit(ANN, { timeoutMs: 8_000, persist: 'token-2' });
  const startedMs = performance.now();
  await restarted();
  assert.equal(await described(), 'outlives');
  await assert.rejects(ports.configuration.confirm(ANN, 'token-3'), { code: 'caller/no-commit' });
  await assert.rejects(ports.configuration.confirm(ANN), { code: 'caller/no-commit' });
  const confirmed = await ports.configuration.confirm('operator/ben', 'token-2');
  assert.deepEqual(
    [confirmed.state, confirmed.reason],
    [
      'CONFIRMED',
      'confirmed by its persist-id: no health gate is known to have passed for it, look at what it changed',
    ],
  );
  // The candidate is free again.
  await describe(ports, 'outlives');
  await ports.configuration.discard(ANN);
  await settle(async () => performance.now() - startedMs > 10_000, 'the deadline to have passed', 15_000);
  assert.equal(await described(), 'outlives');
  await describe(ports, 'to be undone');
  await ports.configuration.commit(ANN, { timeoutMs: 60_000, persist: 'token-4' });
  await restarted();
  assert.equal((await ports.configuration.cancel(ANN, 'enough', 'token-4')).state, 'ROLLED_BACK');
  assert.equal(await described(), 'outlives');
  await describe(ports, 'kept');
  const { id } = await ports.configuration.commit(ANN, { timeoutMs: 60_000 });
  await ports.configuration.verified(id);
  await ports.configuration.confirm(ANN);
});

test('a candidate goes with its session', async () => {
  await describe(ports, 'gone');
  bed.cut();
  await again(described);
  await assert.rejects(ports.configuration.validate(ANN), { code: 'caller/no-candidate' });
});

test('a device that cannot be reached is dialled with pauses, and refusals in between come at once', async () => {
  bed.reachable(false);
  await settle(
    async () =>
      ports.device.configuration('running').then(
        () => false,
        () => true,
      ),
    'the loss to be seen',
  );
  await assert.rejects(ports.device.facts(), { code: 'node/netconf-unreachable' });
  const startedMs = performance.now();
  await assert.rejects(ports.device.facts(), { code: 'node/netconf-unreachable' });
  assert.ok(performance.now() - startedMs < DRIVER_LIMITS.netconfRedialMs, 'a call waited for the pause');
  bed.reachable(true);
  assert.equal(await again(described), 'kept');
});

test('a server that is killed in the middle fails the read by name, and is found again when it is back', async () => {
  const reading = Promise.allSettled(Array.from({ length: 20 }, () => ports.device.configuration('running')));
  await bed.killServer();
  for (const outcome of await reading)
    if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'node/netconf-unreachable');
  await assert.rejects(ports.device.facts(), { code: 'node/netconf-unreachable' });
  await bed.startServer();
  assert.equal(await again(described), '');
});
