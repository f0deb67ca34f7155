// DevicePort of a NETCONF device: its own YANG modules and no command line. Its notifications (RFC 5277) are its log; what else a
// device might have is refused by name, never made up.
import type { DeviceFacts, DevicePort, YangDatastore } from '#model/router/device-port.ts';
import type { NetconfEvents } from './events.ts';
import type { NetconfLink } from './link.ts';
import { notHere } from './not-here.ts';
import { CAPABILITIES, hasCapability } from './operations.ts';
import type { NetconfReader } from './reader.ts';
import { prettyXml } from './xml.ts';

export type NetconfDeviceParts = {
  readonly link: NetconfLink;
  readonly reader: NetconfReader;
  readonly events: NetconfEvents;
};

export function createNetconfDevicePort({ link, reader, events }: NetconfDeviceParts): DevicePort {
  return {
    facts: async (signal) => {
      const [{ session }, schemas] = [await link.use(signal), await reader.schemas(signal)];
      return factsOf(session.capabilities, schemas.modules);
    },
    native: (module, datastore, signal, path) => reader.read(module, datastore, path, signal),
    routes: notHere('a table of routes'),
    load: notHere('a load figure'),
    memory: notHere('memory figures'),
    log: (count) => events.last(count),
    watchLog: (lines) => events.watch(lines),
    configuration: async (which, signal) => prettyXml(await reader.all(which, signal)),
    crashes: async () => [],
    echo: notHere('an echo of its own'),
    bgpNeighbours: async () => undefined,
    async close() {
      await events.close();
      await link.close();
    },
  };
}

function factsOf(
  capabilities: readonly string[],
  modules: readonly { readonly name: string; readonly namespace: string; readonly revision: string }[],
): DeviceFacts {
  const datastores: readonly YangDatastore[] = [
    'running',
    'operational',
    ...(hasCapability(capabilities, CAPABILITIES.candidate) ? (['candidate'] as const) : []),
    ...(hasCapability(capabilities, CAPABILITIES.startup) ? (['startup'] as const) : []),
  ];
  return {
    cliDialect: 'none',
    nativeModules: modules.map(({ name, ...entry }) => ({ module: name, ...entry, datastores })),
    onlyNative: true,
    protocols: [],
    notificationStreams: hasCapability(capabilities, CAPABILITIES.notification) ? ['NETCONF'] : [],
    commands: [],
  };
}
