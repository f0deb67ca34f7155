// Runs inside one namespace of the driver's contract test: the linux-frr driver of that node, served to the test over a
// Unix socket, because a driver reads the network namespace of its own process.
// Arguments: node name, helper socket, socket to serve on.

import { createSystemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { createPortOperations } from '#router/drivers/embedded/hub.ts';
import { createLinuxFrrDriver } from '#router/drivers/linux-frr/driver.ts';
import { createLldpPort } from '#router/drivers/linux-frr/lldp-port.ts';
import { listenHelper } from '#router/protocol/server.ts';

const [node = '', helperSocket = '', socket = ''] = process.argv.slice(2);
const ends = new Map([
  [
    node,
    {
      router: createLinuxFrrDriver({ node, helperSocket, clock: createSystemClock() }),
      lldp: createLldpPort({ helperSocket }),
    },
  ],
]);
await listenHelper({ path: socket, operations: createPortOperations(ends), log: silentLog });
