// A lab with stand-ins for agent and helper: they only open the sockets that the real ones open. Names carry the prefix `lb-`.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LabOptions } from '../../simulations/lab/network-lab.ts';

export const TOPOLOGY = join(import.meta.dirname, '../../simulations/topologies/srv6-three.clab.yml');

const SERVE = `
import { createServer } from 'node:net';
for (const at of process.argv.slice(2)) createServer((socket) => socket.end('here')).listen(/^\\d+$/.test(at) ? { port: Number(at), host: '::' } : at);
`;

export type StandIn = { readonly dir: string; readonly options: LabOptions; remove(): void };

/** A folder for labs of one test file, and options for a lab in it. */
export function prepareStandIn(name: string): StandIn {
  const dir = mkdtempSync(join(tmpdir(), 'lb-labs-'));
  const folder = mkdtempSync(join(tmpdir(), 'lb-extra-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'serve.mjs'), SERVE, { mode: 0o644 });
  const program = 'node /opt/extra/serve.mjs';
  const standIn = {
    agent: `${program} 9514 /run/parley/control.sock`,
    helper: `${program} /run/parley-helper/helper.sock`,
    folder,
  };
  const prefix = `lb-${randomBytes(2).toString('hex')}-`;
  return {
    dir,
    options: { topologyFile: TOPOLOGY, name, prefix, dir, standIn, seed: 1 },
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
