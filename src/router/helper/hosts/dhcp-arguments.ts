// Refuses a DHCP question in another's name: its gateway must be an address of the node's own on that port.
import { networkInterfaces } from 'node:os';
import type { DhcpAsk } from '#model/router/dhcp.ts';
import { refuse } from '#model/wire/check.ts';

export function refuseForeignGateways(asks: readonly DhcpAsk[]): void {
  const own = networkInterfaces();
  for (const { ifname, gateway } of asks)
    if (!(own[ifname] ?? []).some((each) => each.family === 'IPv4' && each.address === gateway))
      refuse(`an address of ${ifname}`, gateway);
}
