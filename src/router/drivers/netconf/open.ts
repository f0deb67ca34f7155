// A NETCONF device as the ports of a node. Credentials are read from their files at each dial, so that they can be replaced while the
// agent runs; a file that others on this machine can read is refused.
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import { randomHex, systemRandom } from '#base/random.ts';
import type { DevicePort } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { createNetconfConfiguration } from './configuration.ts';
import { createNetconfDevicePort } from './device.ts';
import { createNetconfDriver } from './driver.ts';
import { createNetconfEvents } from './events.ts';
import { createNetconfLink } from './link.ts';
import { createNetconfReader } from './reader.ts';
import { dialSsh, type SshTarget } from './ssh.ts';

export type NetconfSettings = Omit<SshTarget, 'credential'> & {
  readonly node: string;
  readonly passwordFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

export function openNetconf(settings: NetconfSettings): { readonly router: RouterPort; readonly device: DevicePort } {
  const { clock, log, node } = settings;
  const link = createNetconfLink(async () => dialSsh({ ...settings, credential: await credentialOf(settings) }), clock);
  const reader = createNetconfReader(link);
  const newId = () => randomHex(systemRandom, 4);
  const configuration = createNetconfConfiguration({ link, reader, clock, log, newId });
  const events = createNetconfEvents({ link, reader, clock, log });
  return {
    router: createNetconfDriver({ node, reader, configuration }),
    device: createNetconfDevicePort({ link, reader, events }),
  };
}

async function credentialOf({ passwordFile, keyFile }: NetconfSettings): Promise<SshTarget['credential']> {
  if (keyFile !== undefined) return { privateKey: await readSecret(keyFile) };
  return { password: (await readSecret(passwordFile ?? '')).replace(/\r?\n$/, '') };
}

async function readSecret(path: string): Promise<string> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) throw new Error('others can read it: chmod 600');
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = `expected a private file with the device's credential, ${path}: ${messageOf(error)}`;
    throw new ParleyError('caller/config-invalid', message, { cause: error });
  }
}
