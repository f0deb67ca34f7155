// Who reaches whom: one fping for each node asks all destinations at once, all nodes started by one shell, so that a sweep of a
// whole network costs as many processes as it has nodes. Addresses are those that the lab had when it was first asked.
import { ParleyError } from '#base/error.ts';
import { runInNetwork } from './node-processes.ts';
import type { LabRecord, NodeRecord } from './registry.ts';
import { tryRun } from './shell.ts';

/** One try and one more; both within a second. */
const TRIES = 1;
const TRY_MS = 400;
/** Between two packets of one node. */
const GAP_MS = 1;
/** Nodes that ask at the same time. */
const AT_ONCE = 16;
/** fping: 0 all answered, 1 some did not. */
const FPING_ANSWERS = new Set([0, 1]);

/** Global addresses of `ifname` at every node, in the order of `nodes`; kept for the life of this process. */
const known = new WeakMap<LabRecord, Map<string, readonly string[]>>();

/** What does not answer, `pe1 to fd00::1`; nothing when every node reaches every address of the others. */
export async function missingPings(
  lab: LabRecord,
  nodes: readonly NodeRecord[],
  ifname: string,
): Promise<string | undefined> {
  const addresses = await Promise.all(nodes.map((node) => addressesOf(lab, node, ifname)));
  const asking = nodes.map((node, index) => ({ node, others: addresses.filter((_, other) => other !== index).flat() }));
  const missing = await sweep(asking.filter(({ others }) => others.length > 0));
  return missing.length === 0 ? undefined : missing.slice(0, 4).join(', ');
}

/** Global addresses of an interface when it was first looked at: a lab that lost one later is not as it was. */
export async function addressesOf(lab: LabRecord, node: NodeRecord, ifname: string): Promise<readonly string[]> {
  const ofLab = known.get(lab) ?? new Map<string, readonly string[]>();
  known.set(lab, ofLab);
  const key = `${node.name} ${ifname}`;
  const before = ofLab.get(key);
  if (before !== undefined && before.length > 0) return before;
  const said = await runInNetwork(node.namespace, ['ip', '-j', 'address', 'show', 'dev', ifname]);
  const [link] = JSON.parse(said.stdout || '[]') as { addr_info?: { local?: string; scope?: string }[] }[];
  const found = (link?.addr_info ?? []).filter((entry) => entry.scope === 'global').map((entry) => entry.local ?? '');
  ofLab.set(key, found);
  return found;
}

type Asking = { readonly node: NodeRecord; readonly others: readonly string[] };

async function sweep(asking: readonly Asking[]): Promise<string[]> {
  const silent: string[] = [];
  for (let first = 0; first < asking.length; first += AT_ONCE) {
    const group = asking.slice(first, first + AT_ONCE);
    const lines = group.map(({ node, others }) => {
      const fping = `fping -u -r ${TRIES} -t ${TRY_MS} -i ${GAP_MS} ${others.join(' ')} 2> /dev/null`;
      return `( said=$(ip netns exec ${node.namespace} ${fping}); echo ${node.name} $? $said ) &`;
    });
    const ended = await tryRun('bash', ['--norc', '-c', `${lines.join('\n')}\nwait`]);
    silent.push(...silentOf(ended.stdout, group));
  }
  return silent;
}

/** Each node says `name exit-code address...`; a node that says nothing did not ask. */
function silentOf(stdout: string, group: readonly Asking[]): string[] {
  const said = new Map(stdout.split('\n').map((line) => [line.split(' ')[0]!, line.split(' ').slice(1)]));
  return group.flatMap(({ node }) => {
    const [code = '-', ...addresses] = said.get(node.name) ?? [];
    if (!FPING_ANSWERS.has(Number(code)))
      throw new ParleyError('node/lab-command', `expected fping at ${node.name} to end with 0 or 1, got ${code}`);
    return addresses.length === 0 ? [] : [`${node.name} to ${addresses.join(' ')}`];
  });
}
