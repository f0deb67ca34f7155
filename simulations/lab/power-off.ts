// A node without power: its processes are gone, its ports and those at the other ends of its cables have no carrier, and what its kernel
// was told is forgotten. Its disk stays: configuration, logs, and what its agent keeps.
import { ParleyError } from '#base/error.ts';
import { emptyNamespace } from './namespaces.ts';
import { runInNetwork } from './node-processes.ts';
import type { CableRecord, LabRecord, NodeRecord } from './registry.ts';
import { pause } from './wait.ts';

/** How long the node is dark: the neighbours' protocols notice, as they would. */
const DARK_MS = 8_000;

/** Ports stay where they are; every other link, address, route, rule and filter is removed. */
const FORGET = [
  'for port in $(ls /sys/class/net); do case $port in lo|eth[0-9]*) ;; *) ip link delete "$port" ;; esac; done',
  'for port in $(ls /sys/class/net); do ip link set "$port" down; ip address flush dev "$port"; done',
  'ip route flush table all; ip -6 route flush table all',
  'ip rule flush; ip rule add pref 32766 lookup main; ip rule add pref 32767 lookup default',
  'ip -6 rule flush; ip -6 rule add pref 32766 lookup main',
  'nft flush ruleset',
  'for port in $(ls /sys/class/net); do tc qdisc delete dev "$port" root; done',
  '[ "$(ls /sys/class/net | grep -vcE "^(lo|eth[0-9]+)$")" = 0 ]',
].join('\n');

/** Resolves when the node was dark for a while; what it returns gives the cables their carrier back. */
export async function powerOff(lab: LabRecord, node: NodeRecord): Promise<() => Promise<void>> {
  await emptyNamespace(node.namespace);
  const cables = lab.cables.filter(({ a, b }) => a.node === node.name || b.node === node.name);
  await Promise.all(cables.map((cable) => setPorts(cable, 'down')));
  // A link that is not there, a queue that is the default: what fails here had nothing to forget; the last line says whether links are left.
  const said = await runInNetwork(node.namespace, ['bash', '--norc', '-c', `exec 2> /dev/null\n${FORGET}`]);
  if (said.exitCode !== 0) throw new ParleyError('node/lab-command', `expected ${node.name} to forget its links`);
  await pause(DARK_MS);
  return async () => void (await Promise.all(cables.map((cable) => setPorts(cable, 'up'))));
}

async function setPorts(cable: CableRecord, state: 'up' | 'down'): Promise<void> {
  const script = [cable.portA, cable.portB].map((port) => `ip link set ${port} ${state}`).join('\n');
  const said = await runInNetwork(cable.namespace, ['bash', '--norc', '-euc', script]);
  if (said.exitCode !== 0)
    throw new ParleyError('node/lab-command', `expected ports of ${cable.namespace} ${state}: ${said.stderr.trim()}`);
}
