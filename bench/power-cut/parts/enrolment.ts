// Enrolment at both ends: a code that was used stays used, with the certificate that was let out; a node has one whole identity or none, never the
// keys of one beside the certificate of another.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSystemClock } from '#base/clock.ts';
import { systemRandom } from '#base/random.ts';
import { decodeHex, encodeHex } from '#codec/hex.ts';
import { initAuthority } from '#mtls/authority.ts';
import type { EnrolmentCode } from '#mtls/enrol/code.ts';
import { loadCode, removeCode } from '#mtls/enrol/code-store.ts';
import { contextOf, idsOf } from '#mtls/enrol/context.ts';
import { makeCodes } from '#mtls/enrol/make-codes.ts';
import type { Grant } from '#mtls/enrol/messages.ts';
import { installGrant, loadPending, type Pending, preparePending } from '#mtls/enrol/pending.ts';
import { createRegistrar, type Registrar } from '#mtls/enrol/registrar.ts';
import { certifiedUntilMs, makeRegistrar, openRegistrarCa } from '#mtls/enrol/registrar-ca.ts';
import { deriveSecrets, startProver } from '#mtls/enrol/spake2plus.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { type After, acksOf, attemptsOf, type Life, type Part } from '../part.ts';

const HOUR_MS = 3_600_000;
const clock = createSystemClock();
const random = systemRandom;
/** Of the TLS session, which there is none of. */
const EXPORTER = new Uint8Array(32);
/** Few names: most identities are replaced ones. */
const NAMES = 3;

export const enrolment: Part = {
  name: 'enrolment',
  async prepare(dir) {
    const ca = join(dirname(dirname(dir)), 'ca');
    await initAuthority({ dir: ca, domain: 'lab.example', clock });
    await makeRegistrar({ dir: ca, name: 'r1', out: join(dir, 'registrar'), clock });
    await mkdir(join(dir, 'registrar', 'codes'), { recursive: true });
  },
  async work(life) {
    const registrarDir = join(life.dir, 'registrar');
    const registrar = await createRegistrar({ dir: registrarDir, clock, random });
    for (let done = 0; done < life.operations / 30; done++) {
      const name = `leaf-${Math.floor(life.random() * NAMES)}`;
      const wanted = [{ kind: 'node' as const, name }];
      life.attempt({ what: 'code', name });
      const [made] = await makeCodes({ dir: registrarDir, wanted, validMs: HOUR_MS, replace: true, clock, random });
      const { code } = made!;
      life.ack({ what: 'code', id: code.id, name });
      if (life.random() < 0.2) {
        life.attempt({ what: 'removed', id: code.id });
        await removeCode(registrarDir, code.id);
        life.ack({ what: 'removed', id: code.id });
        continue;
      }
      await enrol(life, registrar, code, name);
    }
  },
  async check(after) {
    await openRegistrarCa(join(after.dir, 'registrar'));
    const faults = [...(await codeFaults(after))];
    for (let index = 0; index < NAMES; index++) faults.push(...(await identityFaults(after, `leaf-${index}`)));
    return faults;
  },
};

async function enrol(life: Life, registrar: Registrar, code: EnrolmentCode, name: string): Promise<void> {
  const out = join(life.dir, 'nodes', name);
  const pending = await preparePending(out, { kind: 'node', name });
  // Before it is asked for: what the registrar makes of it may be on disk at any moment from here.
  life.attempt({ what: 'granted', id: code.id, name });
  const grant = await ask(registrar, code, pending);
  life.ack({ what: 'granted', id: code.id, name, certificate: grant.chain[0]! });
  await installGrant(out, grant, clock);
  life.ack({ what: 'installed', id: code.id, name, certificate: grant.chain[0]! });
}

/** Both ends of the exchange, without TLS between them. */
async function ask(registrar: Registrar, code: EnrolmentCode, pending: Pending): Promise<Grant> {
  const secrets = await deriveSecrets(Buffer.from(code.secret), idsOf(code.id));
  const prover = startProver(idsOf(code.id), secrets, random);
  const hello = { requestSha256: pending.sha256, shareP: encodeHex(prover.shareP) };
  const started = await registrar.start({ type: 'hello', version: 1, code: code.id, ...hello }, EXPORTER);
  if (!started.ok) throw new Error(started.refusal.detail);
  const shareV = decodeHex(started.value.challenge.shareV);
  const proven = shareV.ok ? prover.finish(contextOf(EXPORTER, pending.sha256), shareV.value) : shareV;
  if (!proven.ok) throw new Error(proven.reason);
  const granted = await started.value.finish({
    type: 'proof',
    confirmP: encodeHex(proven.value.confirmP),
    request: pending.text,
  });
  if (!granted.ok) throw new Error(granted.refusal.detail);
  return granted.value;
}

async function codeFaults({ dir, notes }: After): Promise<readonly string[]> {
  const registrarDir = join(dir, 'registrar');
  const faults: string[] = [];
  const certificates = new Map(acksOf(notes, 'granted').map(({ id, certificate }) => [id, certificate]));
  const removed = new Set(attemptsOf(notes, 'removed').map(({ id }) => id));
  const gone = new Set(acksOf(notes, 'removed').map(({ id }) => id));
  for (const { id, name } of acksOf(notes, 'code')) {
    const code = await loadCode(registrarDir, String(id));
    const certificate = certificates.get(id!);
    if (gone.has(id!) && code !== undefined) faults.push(`code ${id} was removed, and is there again`);
    if (certificate !== undefined && code?.state.used?.chain[0] !== certificate)
      faults.push(`code ${id} of ${name} was used, and is ${code === undefined ? 'gone' : 'open again'}`);
    if (
      certificate !== undefined &&
      (await certifiedUntilMs(registrarDir, { kind: 'node', name: String(name) })) === undefined
    )
      faults.push(`the registrar has forgotten that it certified ${name}`);
    // An unused code makes room for a newer one of its name, also for one that is just being made.
    const made = notes.findIndex((note) => note.kind === 'ack' && note['what'] === 'code' && note['id'] === id);
    const isNewest = !attemptsOf(notes.slice(made), 'code').some((note) => note['name'] === name);
    if (code === undefined && isNewest && !removed.has(id!)) faults.push(`code ${id} of ${name} is lost`);
  }
  return faults;
}

async function identityFaults({ dir, notes }: After, name: string): Promise<readonly string[]> {
  const out = join(dir, 'nodes', name);
  const ofName = (what: string) =>
    acksOf(notes, what)
      .filter((note) => note['name'] === name)
      .map(({ certificate }) => certificate);
  const [granted, installed] = [ofName('granted'), ofName('installed')];
  // As an agent finds it, which may not write there.
  const identity = await loadIdentity(out, clock).catch((error) => {
    if (installed.length > 0) throw error;
    return undefined;
  });
  const pending = await loadPending(out);
  const certificate = identity?.chain[0];
  if (certificate === undefined) return [];
  const allowed = granted.slice(Math.max(0, granted.indexOf(installed.at(-1) ?? granted[0]!)));
  const faults = allowed.includes(certificate)
    ? []
    : [`${name} has another certificate than the last that was installed`];
  const last = granted.at(-1);
  // What was let out and is not installed can be had again only with the keys of its request.
  const isWaiting = last !== certificate && !installed.includes(last!);
  return isWaiting && pending === undefined
    ? [...faults, `${name} has lost the keys of a certificate that was let out`]
    : faults;
}
