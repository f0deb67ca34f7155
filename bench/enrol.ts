// A rack of nodes that enrol at once: 200 attempts with a list of codes, 40 of them with wrong, used, ended or replayed ones. Counts certificates,
// checks what each attempt heard, and says how long a node waited and what the registrar took.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { type Attempt, type Attempted, EXPECTED, planRack } from './enrol/rack.ts';
import type { Benchmark } from './main.ts';
import { summary, tenths } from './statistics.ts';

/** Processes that the nodes share: 200 of them would measure the start of Node. */
const NODE_PROCESSES = 4;

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' }, nodes: { type: 'string' }, bad: { type: 'string' } },
  });
  const nodes = Number(values.nodes ?? 200);
  const bad = Math.floor(Number(values.bad ?? 40) / 4);
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-enrol-'));
  let registrar: ChildProcess | undefined;
  try {
    const clock = createSystemClock();
    const ca = join(dir, 'ca');
    const registrarDir = join(dir, 'registrar');
    await initAuthority({ dir: ca, domain: 'lab.example', clock });
    await makeRegistrar({ dir: ca, name: 'r1', out: registrarDir, clock });
    await issueCertificate({ dir: ca, kind: 'node', name: 'r1', out: join(dir, 'r1'), clock });
    registrar = start('registrar.ts', [registrarDir, join(dir, 'r1')]);
    const { port } = JSON.parse(await firstLine(registrar)) as { port: number };
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
    const rest = text(registrar.stdout!);
    registrar.stdin!.end();
    const { outcomes, cpuMs, grownBytes } = JSON.parse(await rest);
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
    };
  } finally {
    registrar?.kill();
    await rm(dir, { recursive: true, force: true });
  }
};

function start(script: string, args: readonly string[]): ChildProcess {
  const file = join(import.meta.dirname, 'enrol', script);
  return spawn(process.execPath, ['--conditions=parley-source', file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
  return chunk.toString().split('\n')[0]!;
}

async function enrolAll(attempts: readonly Attempt[], port: number, dir: string): Promise<readonly Attempted[]> {
  const shares = Array.from({ length: NODE_PROCESSES }, (_, index) =>
    attempts.filter((_each, at) => at % NODE_PROCESSES === index),
  );
  const results = await Promise.all(
    shares.map(async (share) => {
      const child = start('nodes.ts', []);
      child.stdin!.end(JSON.stringify({ attempts: share, port, dir }));
      return JSON.parse(await text(child.stdout!)) as readonly Attempted[];
    }),
  );
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
