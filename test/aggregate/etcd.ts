// A real etcd of one member, on this machine, with short elections so that its leases can be short. Installs Debian's package where it is missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages, STORE_PACKAGES } from '../../scripts/install-packages.ts';
import { until } from '../fakes/clock.ts';
import { freePort } from '../free-port.ts';
import { HANG_MS } from '../until-written.ts';

export type Etcd = { readonly url: string; stop(): Promise<void> };

export async function startEtcd(): Promise<Etcd> {
  const ensured = await ensurePackages({ packages: STORE_PACKAGES });
  if (!ensured.ok) throw new Error(`etcd cannot be installed: ${ensured.reason}`);
  const dir = await mkdtemp(join(tmpdir(), 'parley-etcd-'));
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  const args = [
    ...['--name', 'one', '--data-dir', dir, '--listen-client-urls', client!, '--advertise-client-urls', client!],
    ...['--listen-peer-urls', peer!, '--initial-advertise-peer-urls', peer!, '--initial-cluster', `one=${peer}`],
    ...['--heartbeat-interval', '20', '--election-timeout', '200', '--log-level', 'error'],
  ];
  const child = spawn('etcd', args, {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], ETCD_UNSUPPORTED_ARCH: 'arm64' },
  });
  const answers = async () => (await fetch(`${client}/health`).catch(() => undefined))?.ok === true;
  await until(answers, 'etcd to answer', HANG_MS, 50);
  return {
    url: client!,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
