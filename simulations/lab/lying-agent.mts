// What a lab loads into one agent's process (node --import) to make it lie: the driver's answers are changed before the agent signs
// them, so that everything else about them is genuine. Part of the lab; the product has no such switch. LIE says how, LIE_AT which
// interfaces (nothing: all).
import { registerHooks } from 'node:module';

type Counters = Record<string, string>;
type Interface = { name: string; kind: string; carrierChanges: number; counters: Counters };
type State = { inventory: { interfaces: Interface[] }; nodeCounters?: Counters };
type ProbeResult = { sent: number; reflected?: number; received: number };
type Driver = {
  probe(request: unknown, signal?: AbortSignal): Promise<ProbeResult>;
  state(signal?: AbortSignal, parts?: string): Promise<State>;
  counters(signal?: AbortSignal): Promise<{ interfaces: Interface[] }>;
};

const DRIVER = /\/router\/drivers\/linux-frr\/driver\.(?:js|ts)$/;
const HALF = 2n;
const CHECKSUM_COUNTERS = ['IpExtInCsumErrors', 'Icmp6InCsumErrors', 'UdpInCsumErrors', 'Udp6InCsumErrors'];
const how = process.env['LIE'] ?? '';
const at = (process.env['LIE_AT'] ?? '').split(',').filter(Boolean);
const first = new Map<string, bigint>();
let readings = 0;

registerHooks({
  load(url, context, next) {
    if (!DRIVER.test(url)) return next(url, context);
    const honest = JSON.stringify(`${url}?honest`);
    const source = [
      `export * from ${honest};`,
      `import { createLinuxFrrDriver as honest } from ${honest};`,
      'export const createLinuxFrrDriver = (init) => globalThis.labLie(honest(init));',
    ].join('\n');
    return { format: 'module', source, shortCircuit: true };
  },
});

Object.assign(globalThis, {
  labLie: (driver: Driver): Driver => ({
    ...driver,
    state: async (signal, parts) => {
      const state = await driver.state(signal, parts);
      readings++;
      return {
        ...state,
        inventory: { ...state.inventory, interfaces: state.inventory.interfaces.map(told) },
        ...(state.nodeCounters === undefined ? {} : { nodeCounters: toldOfNode(state.nodeCounters) }),
      };
    },
    probe: async (request, signal) => {
      const result = await driver.probe(request, signal);
      return how === 'loses-probes' ? fewer(result) : result;
    },
    counters: async (signal) => {
      const answer = await driver.counters(signal);
      return { ...answer, interfaces: answer.interfaces.map(told) };
    },
  }),
});

function told(entry: Interface): Interface {
  if (entry.kind !== 'physical' || (at.length > 0 && !at.includes(entry.name))) return entry;
  const { counters } = entry;
  if (how === 'receives-less' || how === 'loses-probes')
    return { ...entry, counters: { ...counters, rxPackets: less(`${entry.name} rx`, counters['rxPackets']!) } };
  if (how === 'sends-more')
    return { ...entry, counters: { ...counters, txPackets: more(`${entry.name} tx`, counters['txPackets']!) } };
  if (how === 'flaps') return { ...entry, carrierChanges: entry.carrierChanges + 2 * readings };
  return entry;
}

/** Half of what came back is said to be lost on the way back, as the counters say. */
function fewer(result: ProbeResult): ProbeResult {
  return { ...result, received: Math.floor(result.received / Number(HALF)) };
}

function toldOfNode(counters: Counters): Counters {
  if (how !== 'checksum-errors') return counters;
  const raised = Object.fromEntries(CHECKSUM_COUNTERS.map((name) => [name, String(50 * readings)]));
  return { ...counters, ...raised };
}

/** Half of what came since the first reading. */
function less(key: string, value: string): string {
  const since = BigInt(value) - start(key, value);
  return String(BigInt(value) - since / HALF);
}

/** Half as much again. */
function more(key: string, value: string): string {
  const since = BigInt(value) - start(key, value);
  return String(BigInt(value) + since / HALF);
}

function start(key: string, value: string): bigint {
  if (!first.has(key)) first.set(key, BigInt(value));
  return first.get(key)!;
}
