// The netconf driver on a real netconfd behind OpenSSH, in a namespace: reading by the device's own YANG modules, who is let in, and
// what happens when the device or the network goes away.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import type { JsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import { type NetconfSettings, openNetconf } from '#router/drivers/netconf/open.ts';
import { NETCONF_USER, type NetconfBed, upNetconfBed } from './netconf-bed.ts';

let bed: NetconfBed;
const closing: (() => Promise<void>)[] = [];
before(async () => {
  bed = await upNetconfBed();
});
after(async () => {
  for (const close of closing) await close();
  await bed?.down();
});

function opened(change: Partial<NetconfSettings> = {}) {
  const ports = openNetconf({
    node: 'r1',
    host: '127.0.0.1',
    port: bed.port,
    user: NETCONF_USER,
    hostKeys: [bed.hostKey],
    passwordFile: bed.passwordFile,
    clock: createSystemClock(),
    log: silentLog,
    ...change,
  });
  closing.push(() => ports.device.close());
  return ports;
}

test('hello: facts are what the device announces, and it has no command line [NET-1]', async () => {
  const { device } = opened();
  const facts = await device.facts();
  assert.equal(facts.cliDialect, 'none');
  assert.equal(device.show, undefined);
  assert.deepEqual(facts.notificationStreams, ['NETCONF']);
  const interfaces = facts.nativeModules.find(({ module }) => module === 'ietf-interfaces');
  assert.deepEqual(interfaces, {
    module: 'ietf-interfaces',
    namespace: 'urn:ietf:params:xml:ns:yang:ietf-interfaces',
    revision: '2014-05-08',
    datastores: ['running', 'operational', 'candidate'],
  });
});

test("get and get-config give RFC 7951 JSON by the device's own schema: lists, numbers, identities", async () => {
  const { device } = opened({ passwordFile: undefined, keyFile: bed.keyFile });
  const library = await device.native!(
    'ietf-yang-library',
    'operational',
    undefined,
    "/ietf-yang-library:modules-state/module[name='ietf-ip'][revision='2014-06-16']",
  );
  assert.deepEqual(library, {
    'ietf-yang-library:modules-state': {
      module: [
        {
          name: 'ietf-ip',
          revision: '2014-06-16',
          namespace: 'urn:ietf:params:xml:ns:yang:ietf-ip',
          feature: ['ipv4-non-contiguous-netmasks', 'ipv6-privacy-autoconf'],
          'conformance-type': 'implement',
        },
      ],
    },
  });
  const monitoring = await device.native!('ietf-netconf-monitoring', 'operational');
  const state = monitoring['ietf-netconf-monitoring:netconf-state'] as JsonObject;
  assert.equal(typeof (state['statistics'] as JsonObject)['in-rpcs'], 'number');
  assert.deepEqual(await device.native!('ietf-interfaces', 'running'), {});
  assert.deepEqual(await device.native!('ietf-interfaces', 'running', undefined, '/ietf-interfaces:no-such/thing'), {});
});

test('a host key that is not pinned ends the connection before any credential is sent', async () => {
  const other = `SHA256:${'A'.repeat(43)}`;
  const { device } = opened({ hostKeys: [other] });
  await assert.rejects(device.facts(), {
    code: 'node/netconf-host-key',
    message: `expected a pinned host key of 127.0.0.1 port ${bed.port}, got ${bed.hostKey}`,
  });
});

test('a wrong password is refused, and a file that others can read is not used', async () => {
  const path = join(bed.folder, 'wrong');
  writeFileSync(path, 'wrong\n', { mode: 0o600 });
  await assert.rejects(opened({ passwordFile: path }).device.facts(), { code: 'node/netconf-login' });
  chmodSync(path, 0o644);
  await assert.rejects(opened({ passwordFile: path }).device.facts(), { code: 'caller/config-invalid' });
});
