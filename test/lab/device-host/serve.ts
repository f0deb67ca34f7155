// Runs inside a lab's node, where the program stands below /opt/parley: the linux-frr driver's DevicePort, served to a test outside over a
// Unix socket, because it reads the network namespace of its own process. Arguments: the privileged helper's socket, the socket to serve on.
import type { RouteEntry, RouteRequest } from '#model/router/device-port.ts';
import type { Operation } from '#router/protocol/operation.ts';

const program = '/opt/parley/src';
const { createLinuxDevice } = (await import(
  `${program}/router/drivers/linux-frr/device.ts`
)) as typeof import('#router/drivers/linux-frr/device.ts');
const { createSystemClock } = (await import(`${program}/base/clock.ts`)) as typeof import('#base/clock.ts');
const { silentLog } = (await import(`${program}/base/log.ts`)) as typeof import('#base/log.ts');
const { listenHelper } = (await import(
  `${program}/router/protocol/server.ts`
)) as typeof import('#router/protocol/server.ts');

const [helperSocket = '', socket = ''] = process.argv.slice(2);
const device = createLinuxDevice({ helperSocket, clock: createSystemClock() });
const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null));
const call: Operation = async (args) => {
  const given = args['arguments'] as readonly unknown[];
  if (args['method'] === 'routes') return plain(await routePage(given[0] as Omit<RouteRequest, 'each'>));
  const method = device[String(args['method']) as 'facts'] as (...given: unknown[]) => Promise<unknown>;
  return plain(await method(...given.map((each) => each ?? undefined)));
};
async function routePage(request: Omit<RouteRequest, 'each'>) {
  const routes: RouteEntry[] = [];
  const next = await device.routes({ ...request, each: (more) => void routes.push(...more) });
  return { routes, next };
}
await listenHelper({ path: socket, operations: new Map([['call', call]]), log: silentLog });
