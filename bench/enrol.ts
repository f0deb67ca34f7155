// A rack of nodes that enrol at once: 200 attempts with a list of codes, 40 of them with wrong, used, ended or replayed ones. Counts certificates,
// checks what each attempt heard, and says how long a node waited and what the registrar took. `--kills N`: and N runs in which one side is killed.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { killAtRandom } from './enrol/kills.ts';
import { type RegistrarProcess, startNodes, startRegistrar } from './enrol/processes.ts';
import { type Attempt, type Attempted, EXPECTED, planRack } from './enrol/rack.ts';
import type { Benchmark } from './main.ts';
import { summary, tenths } from './statistics.ts';

/** Processes that the nodes share: 200 of them would measure the start of Node. */
const NODE_PROCESSES = 4;

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean' },
      nodes: { type: 'string' },
      bad: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string' },
    },
  });
  const nodes = Number(values.nodes ?? 200);
  const bad = Math.floor(Number(values.bad ?? 40) / 4);
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-enrol-'));
  let registrar: RegistrarProcess | undefined;
  try {
    const clock = createSystemClock();
    const ca = join(dir, 'ca');
    const registrarDir = join(dir, 'registrar');
    await initAuthority({ dir: ca, domain: 'lab.example', clock });
    await makeRegistrar({ dir: ca, name: 'r1', out: registrarDir, clock });
    await issueCertificate({ dir: ca, kind: 'node', name: 'r1', out: join(dir, 'r1'), clock });
    registrar = await startRegistrar(registrarDir, join(dir, 'r1'));
    const { port } = registrar;
    say('making codes, and using those that must be used before');
    const folder = (name: string) => join(dir, 'nodes', name);
    const attempts = await planRack({ registrarDir, port, folder, honest: nodes - 4 * bad, bad });
    const before = await certificatesIn(registrarDir);
    say(`${attempts.length} nodes enrol at once, ${4 * bad} with a code that is worth nothing`);
    const began = performance.now();
    const done = await enrolAll(shuffled(attempts), port, join(dir, 'nodes'));
    const rushMs = performance.now() - began;
    const made = (await certificatesIn(registrarDir)) - before;
    const usable = await usableOf(done, folder);
    const { outcomes, cpuMs, grownBytes } = await registrar.end();
    const count = Number(values.kills ?? 0);
    // Another one: the first has said what the rack cost it.
    registrar = count === 0 ? undefined : await startRegistrar(registrarDir, join(dir, 'r1'));
    if (registrar !== undefined) say(`${count} runs in which the registrar or the node is killed`);
    const cut = { count, registrarDir, folder, dir: join(dir, 'nodes'), seed: Number(values.seed ?? 20_261_124) };
    const killed = registrar === undefined ? undefined : await killAtRandom({ ...cut, registrar });
    const honest = done.filter(({ kind }) => kind === 'honest');
    return {
      nodes: attempts.length,
      badCodes: 4 * bad,
      certificates: made,
      expectedCertificates: nodes - 4 * bad,
      usable,
      unexpected: done
        .filter(({ kind, result }) => result !== EXPECTED[kind])
        .map(({ name, result }) => `${name}: ${result}`),
      heard: countOf(done),
      outcomes,
      honestMs: summary(honest.map(({ ms }) => ms)),
      rushMs: Math.round(rushMs),
      registrarCpuMsARun: tenths(cpuMs / (attempts.length + 2 * bad)),
      registrarGrownMegabytes: tenths(grownBytes / 1e6),
      ...(killed === undefined ? {} : { killed }),
    };
  } finally {
    registrar?.kill();
    await rm(dir, { recursive: true, force: true });
  }
};

async function enrolAll(attempts: readonly Attempt[], port: number, dir: string): Promise<readonly Attempted[]> {
  const shares = Array.from({ length: NODE_PROCESSES }, (_, index) =>
    attempts.filter((_each, at) => at % NODE_PROCESSES === index),
  );
  const results = await Promise.all(shares.map((share) => startNodes(share, port, dir).done));
  return results.flat();
}

/** So that bad and honest attempts are mixed in time and over the processes. */
function shuffled<Value>(values: readonly Value[]): readonly Value[] {
  return values
    .map((value, index) => ({ value, key: (index * 7_919) % values.length }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ value }) => value);
}

/** Certificates that the registrar let out, by the codes that are used. */
async function certificatesIn(registrarDir: string): Promise<number> {
  const files = (await readdir(join(registrarDir, 'codes'))).filter((file) => file.endsWith('.state.json'));
  const states = await Promise.all(files.map((file) => readFile(join(registrarDir, 'codes', file), 'utf8')));
  return states.filter((state) => JSON.parse(state).used !== undefined).length;
}

/** Nodes whose identity folder holds a certificate that verifies, with its keys. */
async function usableOf(done: readonly Attempted[], folder: (name: string) => string): Promise<number> {
  const loaded = await Promise.all(
    done.map(({ name }) =>
      loadIdentity(folder(name)).then(
        ({ party }) => party.name === name,
        () => false,
      ),
    ),
  );
  return loaded.filter(Boolean).length;
}

function countOf(done: readonly Attempted[]): Readonly<Record<string, number>> {
  const keys = done.map(({ kind, result }) => `${kind}: ${result}`);
  return Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]));
}
