// The enrolling node's side: proves the code, has the registrar prove it, and only then sends the request. Trusts nothing that the
// registrar's certificate says: a host that does not know the code gets a request's digest and learns no name, no key and no code.
import { createHash, hkdfSync } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import type { Random } from '#base/random.ts';
import { decodeHex, encodeHex } from '#codec/hex.ts';
import type { EnrolmentCode } from './code.ts';
import { contextOf, idsOf } from './context.ts';
import { parsedBy, receiveMessage, sendMessage } from './frames.ts';
import { ENROL_LIMITS } from './limits.ts';
import {
  answerToHello,
  answerToProof,
  ENROL_ALPN,
  ENROL_VERSION,
  EXPORTER_BYTES,
  EXPORTER_LABEL,
  type Grant,
  type Refusal,
} from './messages.ts';
import type { Pending } from './pending.ts';
import { deriveSecrets, isConfirmation, type Prover, type ProverSecrets, startProver } from './spake2plus.ts';

export type AskRegistrar = {
  readonly host: string;
  readonly port: number;
  readonly code: EnrolmentCode;
  readonly pending: Pending;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly random: Random;
  readonly signal?: AbortSignal;
  /** Hears why it tries again. */
  readonly progress?: (text: string) => void;
};

/**
 * Rejects with `peer/enrolment-refused` (`data.reason` says why), `peer/registrar-not-proven`, `peer/unreachable`, `peer/timeout` or
 * `peer/protocol`. Tries again where the connection was cut before an answer: the registrar is at its bound.
 */
export async function askRegistrar(init: AskRegistrar): Promise<Grant> {
  const { code, pending } = init;
  const secrets = await deriveSecrets(Buffer.from(code.secret), idsOf(code.id));
  const prover = startProver(idsOf(code.id), secrets, shareRandom(code, secrets, pending));
  const at = `registrar at ${init.host} port ${init.port}`;
  const counts = { cut: 0, proven: 0 };
  for (;;) {
    const granted = await onceOrCut(init, prover);
    if (typeof granted !== 'string') return granted;
    const round = counts[granted]++;
    const isProven = granted === 'proven';
    const [retries, firstMs] = isProven
      ? [ENROL_LIMITS.provenRetries, ENROL_LIMITS.provenRetryMs]
      : [ENROL_LIMITS.retries, ENROL_LIMITS.retryMs];
    const hint = isProven
      ? ': it knows the code, and what is longer than a first message does not pass between here and there; look at the MTU of the path'
      : '';
    if (round >= retries)
      throw new ParleyError('peer/unreachable', `${at} ended ${round + 1} connections before it answered${hint}`);
    init.progress?.(`${at} ended the connection before it answered, trying again`);
    const [jitter = 0] = init.random.bytes(1);
    await init.clock.sleep(firstMs * 2 ** round * (1 + jitter / 255), init.signal);
  }
}

/**
 * Octets for the share: the same for one request and code, so that the registrar counts runs of them as one guess. Another secret or request gives
 * octets that look independent: two shares of one scalar and two secrets would let their reader test guesses offline.
 */
function shareRandom({ id }: EnrolmentCode, { w0, w1 }: ProverSecrets, { shareSeed, sha256 }: Pending): Random {
  const info = createHash('sha256').update(`${id} ${w0} ${w1} ${sha256}`).digest();
  return { bytes: (byteCount) => new Uint8Array(hkdfSync('sha256', shareSeed, Buffer.alloc(0), info, byteCount)) };
}

/** The run was cut: before the registrar's challenge, or after a challenge that proved the registrar. */
type Cut = 'cut' | 'proven';

async function onceOrCut(init: AskRegistrar, prover: Prover): Promise<Grant | Cut> {
  const socket = await open(init);
  if (socket === 'cut') return 'cut';
  const over = new AbortController();
  const ended = AbortSignal.any([over.signal, ...(init.signal === undefined ? [] : [init.signal])]);
  let isLate = false;
  void init.clock.sleep(ENROL_LIMITS.runMs, ended).then(
    () => {
      isLate = true;
      socket.destroy();
    },
    () => socket.destroy(),
  );
  try {
    const granted = await exchange(init, prover, socket);
    if (typeof granted === 'string' && isLate)
      throw new ParleyError('peer/timeout', `no answer of the registrar within ${ENROL_LIMITS.runMs} ms`);
    init.signal?.throwIfAborted();
    return granted;
  } finally {
    over.abort();
  }
}

/** A port that is not open is no reason to try again: a registrar without codes has none. */
function open({ host, port }: AskRegistrar): Promise<TLSSocket | 'cut'> {
  return new Promise((resolve, reject) => {
    // The certificate is not judged: the code proves the registrar, and the proof is bound to this TLS session.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.3',
      ALPNProtocols: [ENROL_ALPN],
    });
    socket.setTimeout(ENROL_LIMITS.handshakeMs, () => {
      resolve('cut');
      socket.destroy();
    });
    socket.once('secureConnect', () => {
      socket.setTimeout(0);
      if (socket.alpnProtocol === ENROL_ALPN) return resolve(socket);
      socket.destroy();
      reject(
        new ParleyError('peer/protocol', `expected a registrar at ${host} port ${port}, another service answers there`),
      );
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return resolve('cut');
      const hint =
        error.code === 'ECONNREFUSED' ? ': a registrar listens only while a code of it waits for its node' : '';
      const message = `no registrar at ${host} port ${port} (${messageOf(error)})${hint}`;
      reject(new ParleyError('peer/unreachable', message, { cause: error }));
    });
  });
}

async function exchange(init: AskRegistrar, prover: Prover, socket: TLSSocket): Promise<Grant | Cut> {
  const { code, pending } = init;
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  sendMessage(socket, {
    type: 'hello',
    version: ENROL_VERSION,
    code: code.id,
    requestSha256: pending.sha256,
    shareP: encodeHex(prover.shareP),
  });
  const answered = await receiveMessage(socket);
  if (answered === 'closed') return 'cut';
  const challenge = parsedBy(answerToHello, answered);
  if (!challenge.ok) throw new ParleyError('peer/protocol', `registrar: ${challenge.reason}`);
  if (challenge.value.type === 'refusal') throw refused(challenge.value);
  const shareV = decodeHex(challenge.value.shareV);
  const confirmV = decodeHex(challenge.value.confirmV);
  const proven = shareV.ok ? prover.finish(contextOf(exporter, pending.sha256), shareV.value) : shareV;
  if (!proven.ok || !confirmV.ok || !isConfirmation(confirmV.value, proven.value.confirmV)) {
    const message = `the registrar did not prove that it knows code ${code.id}: the code is another one, or another host answers in its place; nothing was sent to it`;
    throw new ParleyError('peer/registrar-not-proven', message);
  }
  sendMessage(socket, { type: 'proof', confirmP: encodeHex(proven.value.confirmP), request: pending.text });
  const last = await receiveMessage(socket);
  if (last === 'closed') return 'proven';
  const grant = parsedBy(answerToProof, last);
  if (!grant.ok) throw new ParleyError('peer/protocol', `registrar: ${grant.reason}`);
  if (grant.value.type === 'refusal') throw refused(grant.value);
  return grant.value;
}

function refused({ reason, detail }: Refusal): ParleyError {
  const shown = detail.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return new ParleyError('peer/enrolment-refused', `the registrar refused: ${shown}`, { data: { reason } });
}
