// A registrar that listens on loopback, in this process, and nodes that enrol with it. Codes and keys are made in memory and temporary folders.
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { systemRandom } from '#base/random.ts';
import { askRegistrar } from '#mtls/enrol/ask-registrar.ts';
import type { EnrolmentCode } from '#mtls/enrol/code.ts';
import { type CodeFor, type MadeCode, makeCodes } from '#mtls/enrol/make-codes.ts';
import { type Installed, installGrant, preparePending, type Wanted } from '#mtls/enrol/pending.ts';
import { createRegistrar, type EnrolmentOutcome, type Registrar } from '#mtls/enrol/registrar.ts';
import { makeRegistrar } from '#mtls/enrol/registrar-ca.ts';
import { listenRegistrar, type RegistrarListener } from '#mtls/enrol/registrar-listener.ts';
import { createDomain, type Domain, systemClock } from '../domain.ts';

export type EnrolBed = {
  readonly domain: Domain;
  readonly registrarDir: string;
  readonly registrar: Registrar;
  readonly port: number;
  readonly outcomes: EnrolmentOutcome[];
  /** Resolves with the next outcome that is recorded. */
  nextOutcome(): Promise<void>;
  /** Time of the registrar; tests set it ahead. */
  aheadMs: number;
  codes(wanted: readonly CodeFor[], init?: { validMs?: number; replace?: boolean }): Promise<readonly MadeCode[]>;
  codeFor(name: string, more?: Partial<CodeFor>): Promise<EnrolmentCode>;
  /** A folder for one enrolling machine. */
  folder(): string;
  enrol(code: EnrolmentCode, wanted: Wanted, at?: { out?: string; port?: number }): Promise<Installed>;
  /** Closes the listener and starts a registrar anew on the same folder, as after a power cut. */
  restart(): Promise<void>;
  down(): Promise<void>;
};

export async function upRegistrar(options: { readonly operators?: boolean } = {}): Promise<EnrolBed> {
  const domain = await createDomain();
  const dir = await mkdtemp(join(tmpdir(), 'parley-enrol-'));
  const registrarDir = join(dir, 'registrar');
  await makeRegistrar({ dir: join(domain.dir, 'ca'), name: 'r1', out: registrarDir, clock: systemClock, ...options });
  const identity = await domain.identity('r1');
  const outcomes: EnrolmentOutcome[] = [];
  const recorded = new EventEmitter();
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + bed.aheadMs };
  const start = async (): Promise<[Registrar, RegistrarListener]> => {
    const registrar = await createRegistrar({ dir: registrarDir, clock, random: systemRandom });
    const onOutcome = (outcome: EnrolmentOutcome) => {
      outcomes.push(outcome);
      recorded.emit('outcome');
    };
    const at = { host: '127.0.0.1', port: 0 };
    return [registrar, await listenRegistrar({ identity, registrar, ...at, clock, log: silentLog, onOutcome })];
  };
  let [registrar, listener]: [Registrar?, RegistrarListener?] = [];
  let folders = 0;
  const bed: EnrolBed = {
    domain,
    registrarDir,
    get registrar() {
      return registrar!;
    },
    get port() {
      return listener!.port;
    },
    outcomes,
    nextOutcome: async () => void (await once(recorded, 'outcome')),
    aheadMs: 0,
    codes: (wanted, init = {}) =>
      makeCodes({ dir: registrarDir, wanted, validMs: 3_600_000, clock, random: systemRandom, ...init }),
    codeFor: async (name, more = {}) => (await bed.codes([{ kind: 'node', name, ...more }]))[0]!.code,
    folder: () => join(dir, `node-${++folders}`),
    async enrol(code, wanted, at = {}) {
      const out = at.out ?? bed.folder();
      const pending = await preparePending(out, wanted);
      const port = at.port ?? bed.port;
      const asked = { host: '127.0.0.1', port, code, pending, clock: systemClock, random: systemRandom };
      return installGrant(out, await askRegistrar(asked), systemClock);
    },
    async restart() {
      await listener?.close();
      [registrar, listener] = await start();
    },
    async down() {
      await listener?.close();
      await domain.remove();
      await rm(dir, { recursive: true, force: true });
    },
  };
  await bed.restart();
  return bed;
}
