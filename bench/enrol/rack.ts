// A rack of new nodes that enrol at once, some with codes that are worth nothing: wrong, used, ended, or a replay of what another node said. Plan
// and attempts; used by `npm run bench -- enrol` and, small, by the tests.
import { connect } from 'node:tls';
import { createSystemClock } from '#base/clock.ts';
import { systemRandom } from '#base/random.ts';
import { askRegistrar } from '#mtls/enrol/ask-registrar.ts';
import type { EnrolmentCode } from '#mtls/enrol/code.ts';
import { contextOf, idsOf } from '#mtls/enrol/context.ts';
import { receiveMessage, sendMessage } from '#mtls/enrol/frames.ts';
import { makeCodes } from '#mtls/enrol/make-codes.ts';
import { ENROL_ALPN, EXPORTER_BYTES, EXPORTER_LABEL } from '#mtls/enrol/messages.ts';
import { installGrant, preparePending } from '#mtls/enrol/pending.ts';
import { deriveSecrets, startProver } from '#mtls/enrol/spake2plus.ts';

export type BadKind = 'wrong' | 'used' | 'ended' | 'replayed';

export type Attempt = {
  readonly kind: 'honest' | BadKind;
  readonly name: string;
  readonly code: EnrolmentCode;
  /** Of a replay: the messages of a node that has enrolled. */
  readonly recorded?: readonly [object, object];
};

/** `enrolled`, the registrar's reason, or the code of the error. */
export type Attempted = {
  readonly kind: Attempt['kind'];
  readonly name: string;
  readonly result: string;
  readonly ms: number;
};

/** What each kind of bad attempt must hear. */
export const EXPECTED: Readonly<Record<Attempt['kind'], string>> = {
  honest: 'enrolled',
  wrong: 'peer/registrar-not-proven',
  used: 'used',
  ended: 'ended',
  replayed: 'wrong-code',
};

const HOUR_MS = 3_600_000;

/** Makes the codes of a rack and, through the registrar that listens, uses those that must be used before. `bad`: attempts of each kind. */
export async function planRack(init: {
  readonly registrarDir: string;
  readonly port: number;
  readonly folder: (name: string) => string;
  readonly honest: number;
  readonly bad: number;
}): Promise<readonly Attempt[]> {
  const { registrarDir, port, folder } = init;
  const clock = createSystemClock();
  const names = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ kind: 'node' as const, name: `${kind}-${index + 1}` }));
  const made = (kind: string, count: number, validMs = HOUR_MS) =>
    makeCodes({ dir: registrarDir, wanted: names(kind, count), validMs, clock, random: systemRandom });
  const honest = await made('leaf', init.honest);
  const used = await made('used', init.bad);
  const replayed = await made('replayed', init.bad);
  // They end in the moment in which they are made.
  const ended = await made('ended', init.bad, 0);
  const attempts: Attempt[] = honest.map(({ code, record }) => ({ kind: 'honest', name: record.name, code }));
  for (const { code, record } of used) {
    await enrol(port, code, record.name, folder(`first-${record.name}`));
    attempts.push({ kind: 'used', name: record.name, code });
  }
  for (const { code, record } of replayed) {
    const recorded = await recordRun(port, code, record.name, folder(`first-${record.name}`));
    attempts.push({ kind: 'replayed', name: record.name, code, recorded });
  }
  for (const { code, record } of ended) attempts.push({ kind: 'ended', name: record.name, code });
  // Slips at the codes of honest nodes, which enrol all the same.
  for (const { code, record } of honest.slice(0, init.bad)) {
    const first = code.secret.startsWith('0') ? '1' : '0';
    const slip = { id: code.id, secret: `${first}${code.secret.slice(1)}` };
    attempts.push({ kind: 'wrong', name: `wrong-${record.name}`, code: slip });
  }
  return attempts;
}

export async function attempt(each: Attempt, port: number, folder: string): Promise<Attempted> {
  const began = performance.now();
  const { kind, name } = each;
  const done = (result: string): Attempted => ({ kind, name, result, ms: performance.now() - began });
  try {
    if (each.recorded !== undefined) return done(await replay(port, each.recorded));
    await enrol(port, each.code, name, folder);
    return done('enrolled');
  } catch (error) {
    const { code, data } = error as { code?: string; data?: { reason?: string } };
    return done(data?.reason ?? code ?? String(error));
  }
}

async function enrol(port: number, code: EnrolmentCode, name: string, out: string): Promise<void> {
  const clock = createSystemClock();
  const pending = await preparePending(out, { kind: 'node', name });
  await installGrant(
    out,
    await askRegistrar({ host: '127.0.0.1', port, code, pending, clock, random: systemRandom }),
    clock,
  );
}

function open(port: number) {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: [ENROL_ALPN] });
  return new Promise<typeof socket>((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Enrols, and keeps both messages that the node sent. */
async function recordRun(port: number, code: EnrolmentCode, name: string, out: string) {
  const pending = await preparePending(out, { kind: 'node', name });
  const socket = await open(port);
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  const prover = startProver(
    idsOf(code.id),
    await deriveSecrets(Buffer.from(code.secret), idsOf(code.id)),
    systemRandom,
  );
  const shareP = Buffer.from(prover.shareP).toString('hex');
  const hello = { type: 'hello', version: 1, code: code.id, requestSha256: pending.sha256, shareP };
  sendMessage(socket, hello);
  const challenge = messageOf(await receiveMessage(socket));
  const proven = prover.finish(contextOf(exporter, pending.sha256), Buffer.from(String(challenge['shareV']), 'hex'));
  if (!proven.ok) throw new Error(proven.reason);
  const confirmP = Buffer.from(proven.value.confirmP).toString('hex');
  const proof = { type: 'proof', confirmP, request: pending.text };
  sendMessage(socket, proof);
  const answer = messageOf(await receiveMessage(socket));
  socket.destroy();
  if (answer['type'] !== 'certificate')
    throw new Error(`expected a certificate for ${name}, got ${String(answer['reason'])}`);
  return [hello, proof] as const;
}

async function replay(port: number, [hello, proof]: readonly [object, object]): Promise<string> {
  const socket = await open(port);
  sendMessage(socket, hello);
  const challenge = messageOf(await receiveMessage(socket));
  if (challenge['type'] !== 'challenge') return String(challenge['reason']);
  sendMessage(socket, proof);
  const answer = messageOf(await receiveMessage(socket));
  socket.destroy();
  return answer['type'] === 'certificate' ? 'enrolled' : String(answer['reason']);
}

function messageOf(received: Awaited<ReturnType<typeof receiveMessage>>): Readonly<Record<string, unknown>> {
  if (received === 'closed' || !received.ok) throw new Error('the registrar ended the connection');
  return received.value as Readonly<Record<string, unknown>>;
}
