// The node behind this agent: the driver that the configuration names, loaded only when it is needed.

import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Config } from '#config/schema.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { IsisPort, LldpPort, RouterPort } from '#model/router/router-port.ts';

export type OpenedRouter = {
  readonly router: RouterPort;
  /** Absent where the node is not the machine that the agent runs on. */
  readonly lldp?: LldpPort;
  readonly device: DevicePort;
  readonly isis?: IsisPort;
};

export async function openRouter(config: Config, clock: Clock, log: Log): Promise<OpenedRouter> {
  const { driver, node, monitor, remember } = config;
  if (driver.kind === 'embedded') {
    const { createEmbeddedHubDriver } = await import('#router/drivers/embedded/hub-driver.ts');
    const opened = createEmbeddedHubDriver({ node, socket: driver.hub, configurable: driver.configurable ?? false });
    const { createEmbeddedDevice } = await import('#router/drivers/embedded/device.ts');
    const startedAt = new Date(clock.nowMs()).toISOString();
    const { createPastReader } = await import('#router/drivers/linux-frr/memory/store/past-days.ts');
    // An embedded node records nothing itself: it tells what a lab put into its folder.
    const router: RouterPort = {
      ...opened.router,
      remembered: createPastReader(join(config.state, 'memory'), clock),
    };
    return { ...opened, router, device: createEmbeddedDevice({ router, startedAt }) };
  }
  if (driver.kind === 'netconf') {
    const { openNetconf } = await import('#router/drivers/netconf/open.ts');
    return openNetconf({ ...driver, node, clock, log });
  }
  const { createLinuxFrrDriver } = await import('#router/drivers/linux-frr/driver.ts');
  const { createIsisPort } = await import('#router/drivers/linux-frr/isis-port.ts');
  const { createLinuxDevice } = await import('#router/drivers/linux-frr/device.ts');
  const { openDayStore } = await import('#router/drivers/linux-frr/memory/store/day-store.ts');
  const { createLldpPort } = await import('#router/drivers/linux-frr/lldp-port.ts');
  return {
    router: createLinuxFrrDriver({
      node,
      helperSocket: driver.helper,
      clock,
      watch: monitor,
      rememberHosts: remember.hosts,
      days: await openDayStore({ dir: join(config.state, 'memory'), clock, log, rememberHosts: remember.hosts }),
      ...(driver.configHelper === undefined ? {} : { configSocket: driver.configHelper }),
    }),
    lldp: createLldpPort({ helperSocket: driver.helper }),
    isis: createIsisPort({ helperSocket: driver.helper }),
    device: createLinuxDevice({ helperSocket: driver.helper, clock }),
  };
}
