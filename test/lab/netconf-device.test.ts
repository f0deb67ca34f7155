// The contract of every device port over NETCONF, on a real netconfd; what runs is read by a session of the test's own.
import { after, before } from 'node:test';
import { createSystemClock } from '#base/clock.ts';
import { isJsonObject } from '#base/json.ts';
import { silentLog } from '#base/log.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { openNetconf } from '#router/drivers/netconf/open.ts';
import { type DeviceBed, devicePortContract } from '../contracts/device-port.ts';
import { NETCONF_USER, type NetconfBed, upNetconfBed } from './netconf-bed.ts';

const INTERFACE = "/ietf-interfaces:interfaces/interface[name='eth1']";
let bed: NetconfBed;
let under: DeviceBed;
let witness: DevicePort;
let router: RouterPort;

before(async () => {
  bed = await upNetconfBed();
  const settings = {
    node: 'r1',
    host: '127.0.0.1',
    port: bed.port,
    user: NETCONF_USER,
    hostKeys: [bed.hostKey],
    passwordFile: bed.passwordFile,
    clock: createSystemClock(),
    log: silentLog,
  };
  witness = openNetconf(settings).device;
  const opened = openNetconf(settings);
  router = opened.router;
  under = bedOf(opened.device, router.configuration!);
});
after(async () => {
  await router?.close();
  await under?.device.close();
  await witness?.close();
  await bed?.down();
});

function bedOf(device: DevicePort, configuration: ConfigurationPort): DeviceBed {
  return {
    device,
    configuration,
    describe: (holder, text) =>
      configuration.editData!(holder, [
        { path: `${INTERFACE}/type`, operation: 'merge', value: 'iana-if-type:ethernetCsmacd' },
        { path: `${INTERFACE}/description`, operation: 'merge', value: text },
      ]),
    mistake: (holder) =>
      configuration.editData!(holder, [{ path: `${INTERFACE}/enabled`, operation: 'merge', value: 'maybe' }]),
    async described() {
      const data = await witness.native!('ietf-interfaces', 'running', undefined, `${INTERFACE}/description`);
      const interfaces = data['ietf-interfaces:interfaces'];
      const list = interfaces !== undefined && isJsonObject(interfaces) ? interfaces['interface'] : undefined;
      const first = Array.isArray(list) ? list[0] : undefined;
      return isJsonObject(first) && first['description'] !== undefined ? String(first['description']) : undefined;
    },
    declares: {
      cliDialect: 'none',
      native: {
        module: 'ietf-yang-library',
        datastore: 'operational',
        path: "/ietf-yang-library:modules-state/module[name='ietf-ip'][revision='2014-06-16']/conformance-type",
        holds: (data) => JSON.stringify(data).includes('"conformance-type":"implement"'),
      },
      routes: false,
      log: true,
      startup: false,
    },
  };
}

devicePortContract('netconf', () => under);
