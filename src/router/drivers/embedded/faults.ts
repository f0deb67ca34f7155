// Faults that a lab puts into an embedded network, and their repair.
import { ParleyError } from '#base/error.ts';
import type { EmbeddedFault } from './description.ts';
import { type Devices, deviceOf } from './devices.ts';

export function applyFault(devices: Devices, fault: EmbeddedFault): void {
  if (fault.kind === 'repair') {
    for (const device of devices.values()) {
      device.acls.clear();
      for (const port of device.ports.values())
        Object.assign(port, { lossPercent: 0, carrierChanges: port.carrierChanges + (port.up ? 0 : 1), up: true });
    }
    return;
  }
  const device = deviceOf(devices, fault.node);
  if (fault.kind === 'remove-acl') {
    device.acls.delete(fault.name);
    return;
  }
  const port = device.ports.get(fault.ifname);
  if (port === undefined)
    throw new ParleyError(
      'caller/bad-argument',
      `expected one of the interfaces ${[...device.ports.keys()].join(', ')}, got ${fault.ifname}`,
    );
  if (fault.kind === 'loss') Object.assign(port, { lossPercent: fault.percent, lossOverBytes: fault.overBytes ?? 0 });
  else if (fault.kind === 'link')
    Object.assign(port, { carrierChanges: port.carrierChanges + (port.up === fault.up ? 0 : 1), up: fault.up });
  else
    device.acls.set(fault.name, {
      name: fault.name,
      ifname: fault.ifname,
      percent: fault.percent,
      handle: device.acls.size + 4,
      packets: 0,
      bytes: 0,
    });
}
