// The node behind this agent: the driver that the configuration names, loaded only when it is needed.
import type { Config } from '#config/schema.ts';
import type { IsisPort, LldpPort, RouterPort } from '#model/router-port.ts';

export type OpenedRouter = { readonly router: RouterPort; readonly lldp: LldpPort; readonly isis?: IsisPort };

export async function openRouter(config: Config): Promise<OpenedRouter> {
  const { driver, node } = config;
  if (driver.kind === 'embedded') {
    const { createEmbeddedHubDriver } = await import('#router/drivers/embedded/hub-driver.ts');
    const opened = createEmbeddedHubDriver({ node, socket: driver.hub });
    return { router: opened.router, lldp: opened.lldp };
  }
  const { createLinuxFrrDriver } = await import('#router/drivers/linux-frr/driver.ts');
  const { createIsisPort } = await import('#router/drivers/linux-frr/isis-port.ts');
  const { createLldpPort } = await import('#router/drivers/linux-frr/lldp-port.ts');
  return {
    router: createLinuxFrrDriver({
      node,
      helperSocket: driver.helper,
      ...(driver.configHelper === undefined ? {} : { configSocket: driver.configHelper }),
    }),
    lldp: createLldpPort({ helperSocket: driver.helper }),
    isis: createIsisPort({ helperSocket: driver.helper }),
  };
}
