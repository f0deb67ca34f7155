// What an agent in the lab remembers, read through its own control socket.
import type { History } from '#model/router/control-plane.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';
import type { NodeRecord } from '../../simulations/lab/registry.ts';

export async function memoryOf(node: NodeRecord): Promise<History> {
  const program = ['node', '--conditions=parley-source', '/opt/parley/src/main.ts'];
  const call = ['call', 'parley-node-state', '{"parts":"past"}', '--socket', CONTROL_SOCKET];
  const said = await runInNode(node, [...program, ...call], { timeoutMs: 30_000 });
  return (JSON.parse(said.stdout) as { readonly history: History }).history;
}
