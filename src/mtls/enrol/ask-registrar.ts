// The enrolling node's side: proves the code, has the registrar prove it, and only then sends the request. Trusts nothing that the
// registrar's certificate says: a host that does not know the code gets a request's digest and learns no name, no key and no code.
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
import { deriveSecrets, isConfirmation, type ProverSecrets, startProver } from './spake2plus.ts';

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
  const secrets = await deriveSecrets(Buffer.from(init.code.secret), idsOf(init.code.id));
  for (let round = 0; ; round++) {
    const granted = await onceOrCut(init, secrets);
    if (granted !== 'cut') return granted;
    const at = `registrar at ${init.host} port ${init.port}`;
    if (round >= ENROL_LIMITS.retries)
      throw new ParleyError('peer/unreachable', `${at} ended ${round + 1} connections before it answered`);
    init.progress?.(`${at} ended the connection before it answered, trying again`);
    const pauseMs = ENROL_LIMITS.retryMs * 2 ** round;
    const [jitter = 0] = init.random.bytes(1);
    await init.clock.sleep(pauseMs * (1 + jitter / 255), init.signal);
  }
}

async function onceOrCut(init: AskRegistrar, secrets: ProverSecrets): Promise<Grant | 'cut'> {
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
    const granted = await exchange(init, secrets, socket);
    if (granted === 'cut' && isLate)
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

async function exchange(init: AskRegistrar, secrets: ProverSecrets, socket: TLSSocket): Promise<Grant | 'cut'> {
  const { code, pending, random } = init;
  const exporter = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0));
  const prover = startProver(idsOf(code.id), secrets, random);
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
  if (last === 'closed') return 'cut';
  const grant = parsedBy(answerToProof, last);
  if (!grant.ok) throw new ParleyError('peer/protocol', `registrar: ${grant.reason}`);
  if (grant.value.type === 'refusal') throw refused(grant.value);
  return grant.value;
}

function refused({ reason, detail }: Refusal): ParleyError {
  const shown = detail.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return new ParleyError('peer/enrolment-refused', `the registrar refused: ${shown}`, { data: { reason } });
}
