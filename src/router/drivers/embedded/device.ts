// DevicePort of an embedded node: it has interfaces and their YANG data, but no command line, no routing daemons and no log. What
// it does not have is absent or empty, never invented.
import { ParleyError } from '#base/error.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';

export function createEmbeddedDevice(parts: { readonly router: RouterPort; readonly startedAt: string }): DevicePort {
  const none = (what: string) => async () => {
    throw new ParleyError('node/not-supported', `expected a device with ${what}, got an embedded one`);
  };
  return {
    facts: async () => ({
      cliDialect: 'none',
      nativeModules: [],
      protocols: [],
      bootTime: parts.startedAt,
      notificationStreams: [],
      commands: [],
    }),
    native: async () => ({}),
    routes: none('a routing table'),
    load: none('a CPU of its own'),
    memory: none('memory of its own'),
    log: none('a log'),
    watchLog: () => () => {},
    configuration: async (which) => {
      const { configuration } = parts.router;
      return configuration === undefined ? none('a configuration')() : configuration.read(which, 'node');
    },
    crashes: async () => [],
    echo: none('ICMP'),
    bgpNeighbours: async () => undefined,
    close: async () => {},
  };
}
