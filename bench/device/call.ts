// The counter read of the device benchmark, held against a bare TLS exchange of the same bytes plus the node's own reading.
import { join } from 'node:path';
import { HELPER_SOCKET } from '../../simulations/lab/node-files.ts';
import { pathInNode, REPOSITORY, runInNetwork } from '../../simulations/lab/node-processes.ts';
import { identityDir, LAB_OPERATOR } from '../../simulations/lab/pki.ts';
import type { LabRecord } from '../../simulations/lab/registry.ts';

const CALLS_MS = 180_000;

type Times = { readonly p50: number; readonly p99: number };
type Measured = { readonly callMs: Times; readonly bareMs: Times; readonly ownMs: Times };

export async function measureCall(lab: LabRecord, turns: number, say: (line: string) => void) {
  const node = lab.nodes[0]!;
  const program = join(REPOSITORY, 'bench/device/read-counters.ts');
  const identity = identityDir(lab, 'operator', LAB_OPERATOR);
  const args = [program, identity, node.name, String(turns), pathInNode(node, HELPER_SOCKET)];
  const read = await runInNetwork(node.namespace, [process.execPath, '--conditions=parley-source', ...args], CALLS_MS);
  if (read.exitCode !== 0) throw new Error(`expected calls to be answered: ${read.stderr.slice(0, 600)}`);
  const measured = JSON.parse(read.stdout) as Measured;
  const ratio = measured.callMs.p50 / (measured.bareMs.p50 + measured.ownMs.p50);
  say(`a counter read takes ${measured.callMs.p50} ms, ${ratio.toFixed(2)} times its parts`);
  return { ...measured, ratio: Math.round(ratio * 100) / 100 };
}
