// Who stands between a node and its registrar, replays what was said, changes bits of it, or talks nonsense to the port.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { systemRandom } from '#base/random.ts';
import type { EnrolmentCode } from '#mtls/enrol/code.ts';
import { loadCode, storeState } from '#mtls/enrol/code-store.ts';
import { contextOf, idsOf } from '#mtls/enrol/context.ts';
import { createDecoys } from '#mtls/enrol/decoys.ts';
import { receiveMessage, sendMessage } from '#mtls/enrol/frames.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import { ENROL_ALPN, EXPORTER_BYTES } from '#mtls/enrol/messages.ts';
import { preparePending } from '#mtls/enrol/pending.ts';
import { openRegistrarCa } from '#mtls/enrol/registrar-ca.ts';
import { requestSha256 } from '#mtls/enrol/request.ts';
import { deriveSecrets, startProver } from '#mtls/enrol/spake2plus.ts';
import { closed } from '../domain.ts';
import { type EnrolBed, upRegistrar } from './enrol-bed.ts';

let bed: EnrolBed;
before(async () => {
  bed = await upRegistrar();
});
after(() => bed?.down());

const node = (name: string) => ({ kind: 'node', name }) as const;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'enrolled',
    (error: { code: string }) => error.code,
  );
const failedOf = async ({ id }: EnrolmentCode) => (await loadCode(bed.registrarDir, id))!.state.failed;

/** A run on the registrar itself, without sockets: what the node says may be changed, and the session's exporter as well. */
async function runOf(name: string) {
  const code = await bed.codeFor(name);
  const pending = await preparePending(bed.folder(), node(name));
  const secrets = await deriveSecrets(Buffer.from(code.secret), idsOf(code.id));
  const exporter = Buffer.alloc(EXPORTER_BYTES, 7);
  return {
    code,
    pending,
    exporter,
    async begin(change: { sha256?: string; shareP?: (hex: string) => string; exporter?: Buffer } = {}) {
      const prover = startProver(idsOf(code.id), secrets, systemRandom);
      const shareP = change.shareP?.(hex(prover.shareP)) ?? hex(prover.shareP);
      const sha256 = change.sha256 ?? pending.sha256;
      const hello = { type: 'hello', version: 1, code: code.id, requestSha256: sha256, shareP } as const;
      const started = await bed.registrar.start(hello, change.exporter ?? exporter);
      if (!started.ok) return { reason: started.refusal.reason };
      const { shareV, confirmV } = started.value.challenge;
      const proven = prover.finish(contextOf(exporter, pending.sha256), Buffer.from(shareV, 'hex'));
      assert.ok(proven.ok);
      const send = async (request = pending.text, confirmP = hex(proven.value.confirmP)) => {
        const answer = await started.value.finish({ type: 'proof', confirmP, request });
        return answer.ok ? 'certificate' : answer.refusal.reason;
      };
      return { hello, confirmP: hex(proven.value.confirmP), isProven: hex(proven.value.confirmV) === confirmV, send };
    },
  };
}

test('a person in the middle gets the digest of a request, and gives nothing that counts [TS-24]', async () => {
  const code = await bed.codeFor('leaf-1');
  const thief = await bed.domain.identity('thief');
  const heard: object[] = [];
  // Ends the node's TLS session with a certificate of the domain, and opens one of its own to the registrar.
  const middle = createTlsServer({ key: thief.keyPem, cert: thief.certPem, ALPNProtocols: [ENROL_ALPN] }, (socket) => {
    const onward = connectTls({
      host: '127.0.0.1',
      port: bed.port,
      rejectUnauthorized: false,
      ALPNProtocols: [ENROL_ALPN],
    });
    for (const each of [socket, onward]) each.on('error', () => {});
    socket.on('close', () => onward.destroy());
    void relay(socket, onward, heard);
  });
  middle.listen(0, '127.0.0.1');
  await once(middle, 'listening');
  const { port } = middle.address() as AddressInfo;
  assert.equal(await codeOf(bed.enrol(code, node('leaf-1'), { port })), 'peer/registrar-not-proven');
  middle.close();
  const [hello, challenge, ...more] = heard as [Record<string, string>, Record<string, string>];
  assert.deepEqual(Object.keys(hello).sort(), ['code', 'requestSha256', 'shareP', 'type', 'version']);
  assert.equal(hello['code'], code.id);
  assert.equal(challenge['type'], 'challenge');
  assert.deepEqual(more, [], 'the node sent its request to the person in the middle');
  assert.equal(await failedOf(code), 1);
  assert.equal(await codeOf(bed.enrol(code, node('leaf-1'))), 'enrolled');
});

async function relay(socket: TLSSocket, onward: TLSSocket, heard: object[]): Promise<void> {
  for (const [from, to] of [
    [socket, onward],
    [onward, socket],
    [socket, onward],
  ] as const) {
    const received = await receiveMessage(from);
    if (received === 'closed' || !received.ok) return;
    heard.push(received.value as object);
    sendMessage(to, received.value as object);
  }
}

test('an impostor without the code is found out before the node shows its request', async () => {
  const thief = await bed.domain.identity('impostor');
  const heard: object[] = [];
  const impostor = createTlsServer(
    { key: thief.keyPem, cert: thief.certPem, ALPNProtocols: [ENROL_ALPN] },
    async (socket) => {
      socket.on('error', () => {});
      const hello = await receiveMessage(socket);
      if (hello !== 'closed' && hello.ok) heard.push(hello.value as object);
      // Reflects the node's own share, and makes up the confirmation.
      const { shareP } = heard[0] as { shareP: string };
      sendMessage(socket, { type: 'challenge', shareV: shareP, confirmV: '00'.repeat(32) });
      const more = await receiveMessage(socket);
      if (more !== 'closed') heard.push(more);
    },
  );
  impostor.listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  const { port } = impostor.address() as AddressInfo;
  const code = await bed.codeFor('leaf-2');
  assert.equal(await codeOf(bed.enrol(code, node('leaf-2'), { port })), 'peer/registrar-not-proven');
  impostor.close();
  assert.equal(heard.length, 1);
});

test('messages of one session are worth nothing in another, and a run ends once', async () => {
  const run = await runOf('leaf-3');
  const first = await run.begin();
  assert.equal(first.isProven, true);
  assert.equal(await first.send!(), 'certificate');
  assert.equal(await first.send!(), 'wrong-code');
  const replayed = await bed.registrar.start(first.hello!, run.exporter);
  assert.ok(replayed.ok);
  const finished = await replayed.value.finish({ type: 'proof', confirmP: first.confirmP!, request: run.pending.text });
  assert.equal(finished.ok ? 'certificate' : finished.refusal.reason, 'wrong-code');
  const elsewhere = await run.begin({ exporter: Buffer.alloc(EXPORTER_BYTES, 8) });
  assert.deepEqual([elsewhere.isProven, await elsewhere.send!()], [false, 'wrong-code']);
});

test('another request than the announced one is refused, and uses nothing up', async () => {
  const run = await runOf('leaf-4');
  const other = await preparePending(bed.folder(), node('leaf-4'));
  const begun = await run.begin();
  assert.equal(await begun.send!(other.text), 'bad-request');
  const announced = await run.begin({ sha256: requestSha256(other.text) });
  assert.equal(await announced.send!(other.text), 'wrong-code');
  assert.equal(await (await run.begin()).send!(), 'certificate');
});

test('no changed octet of a message is accepted [TS-24]', async () => {
  const run = await runOf('leaf-5');
  const flip = (text: string, octet: number) => {
    const bytes = Buffer.from(text, 'hex');
    bytes[octet]! ^= 1 << (octet % 8);
    return bytes.toString('hex');
  };
  const outcomes: (string | undefined)[] = [];
  const unlock = () => setFresh(run.code);
  for (let octet = 0; octet < 65; octet += 4) {
    await unlock();
    outcomes.push((await run.begin({ shareP: (text) => flip(text, octet) })).reason);
  }
  for (let octet = 0; octet < 32; octet += 8) {
    await unlock();
    const changed = await run.begin({ sha256: flip(run.pending.sha256, octet) });
    outcomes.push(await changed.send!());
    await unlock();
    const begun = await run.begin();
    outcomes.push(await begun.send!(run.pending.text, flip(begun.confirmP!, octet)));
  }
  assert.deepEqual(new Set(outcomes), new Set(['wrong-code']));
  assert.equal((await loadCode(bed.registrarDir, run.code.id))!.state.used, undefined);
});

/** As if all runs before had been proven; each run of a code counts in the bound of its name, which a registrar that starts does not know. */
async function setFresh({ id }: EnrolmentCode): Promise<void> {
  await storeState(bed.registrarDir, id, { schemaVersion: 1, failed: 0 });
  await bed.restart();
}

/** Opens a TLS session to the registrar and writes these octets. */
async function say(bytes: Buffer): Promise<string> {
  const socket = connectTls({
    host: '127.0.0.1',
    port: bed.port,
    rejectUnauthorized: false,
    ALPNProtocols: [ENROL_ALPN],
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.subarray(4).toString();
  });
  socket.write(bytes);
  await closed(socket);
  return heard;
}

const framed = (text: string) => {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([header, Buffer.from(text)]);
};

test('nonsense ends the connection without an answer, and the registrar serves the next node', async () => {
  const hello = {
    type: 'hello',
    version: 1,
    code: 'AAAAA',
    requestSha256: '00'.repeat(32),
    shareP: `04${'00'.repeat(64)}`,
  };
  const silent = [
    Buffer.from('ffffffff', 'hex'),
    framed('{'),
    framed('[]'),
    framed('{"type":"hello","type":"hello"}'),
    framed(JSON.stringify({ ...hello, version: 2 })),
    framed(JSON.stringify({ ...hello, code: '../..' })),
    framed(JSON.stringify({ ...hello, more: 1 })),
    framed(JSON.stringify({ type: 'proof', confirmP: '00'.repeat(32), request: '' })),
    Buffer.concat([framed(JSON.stringify(hello)), framed(JSON.stringify(hello))]),
    framed('['.repeat(5_000)),
  ];
  for (const bytes of silent) assert.equal(await say(bytes), '');
  assert.match(await say(framed(JSON.stringify(hello))), /"reason":"wrong-code"/);
  const plain = connect({ host: '127.0.0.1', port: bed.port });
  plain.on('error', () => {});
  plain.write('GET / HTTP/1.1\r\n\r\n');
  await closed(plain);
  assert.equal(await codeOf(bed.enrol(await bed.codeFor('leaf-6'), node('leaf-6'))), 'enrolled');
});

test('who holds every connection open loses the oldest, and nodes still enrol', async () => {
  const idle = Array.from({ length: ENROL_LIMITS.connections + 8 }, () =>
    connect({ host: '127.0.0.1', port: bed.port }),
  );
  for (const socket of idle) socket.on('error', () => {});
  await Promise.all(idle.slice(0, 8).map(closed));
  assert.equal(await codeOf(bed.enrol(await bed.codeFor('leaf-7'), node('leaf-7'))), 'enrolled');
  for (const socket of idle) socket.destroy();
});

test('guesses that hang up after the challenge are recorded, each of them [TS-24]', async () => {
  const code = await bed.codeFor('leaf-10');
  const before = bed.outcomes.length;
  for (let run = 0; run < ENROL_LIMITS.attemptsPerCode; run++) {
    const socket = await dialRegistrar();
    sendMessage(socket, helloOf(code));
    const answered = await receiveMessage(socket);
    assert.ok(answered !== 'closed' && answered.ok);
    socket.destroy();
    await recordedOutcomes(before + run + 1);
  }
  const recorded = bed.outcomes.slice(before);
  assert.equal(recorded.length, ENROL_LIMITS.attemptsPerCode);
  for (const outcome of recorded)
    assert.deepEqual(outcome, { outcome: 'no-proof', code: code.id, party: 'node/leaf-10' });
});

async function dialRegistrar(): Promise<TLSSocket> {
  const at = { host: '127.0.0.1', port: bed.port, rejectUnauthorized: false, ALPNProtocols: [ENROL_ALPN] };
  const socket = connectTls(at);
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

/** With a share of a guess of its own each time. */
function helloOf({ id }: Pick<EnrolmentCode, 'id'>) {
  const guess = { w0: BigInt(`0x${hex(systemRandom.bytes(16))}`), w1: 1n };
  const { shareP } = startProver(idsOf(id), guess, systemRandom);
  return { type: 'hello', version: 1, code: id, requestSha256: '00'.repeat(32), shareP: hex(shareP) } as const;
}

test('a code that there is not answers like one that there is, is locked like it, and takes a bounded place [TS-24]', async () => {
  const code = await bed.codeFor('leaf-11');
  const answersFor = async (id: string) => {
    const answers: string[] = [];
    for (let run = 0; run <= ENROL_LIMITS.attemptsPerCode; run++) {
      const started = await bed.registrar.start(helloOf({ id }), Buffer.alloc(EXPORTER_BYTES, run));
      if (!started.ok) {
        answers.push(JSON.stringify(started.refusal).replaceAll(id, 'ID'));
        continue;
      }
      const { challenge, finish } = started.value;
      answers.push(
        Object.entries(challenge)
          .map(([key, { length }]) => `${key} ${length}`)
          .join(),
      );
      const finished = await finish({ type: 'proof', confirmP: '00'.repeat(32), request: '' });
      answers.push(finished.ok ? 'certificate' : JSON.stringify(finished.refusal).replaceAll(id, 'ID'));
    }
    // A registrar that starts anew has forgotten nothing, of neither.
    await bed.restart();
    const later = await bed.registrar.start(helloOf({ id }), Buffer.alloc(EXPORTER_BYTES));
    return [...answers, later.ok ? 'challenge' : later.refusal.reason];
  };
  const known = await answersFor(code.id);
  assert.equal(known.at(-1), 'locked');
  const unknown = code.id === 'ZZZZZ' ? 'ZZZZY' : 'ZZZZZ';
  assert.deepEqual(await answersFor(unknown), known);
  assert.equal((await readdir(join(bed.registrarDir, 'decoys'))).length <= ENROL_LIMITS.codes, true);
  // Its verifier is the same each time and that of no other name, or a stranger could tell by asking twice.
  const decoys = createDecoys(bed.registrarDir, (await openRegistrarCa(bed.registrarDir)).privateKey);
  assert.deepEqual(decoys.verifierFor('ZZZZZ'), decoys.verifierFor('ZZZZZ'));
  assert.notDeepEqual(decoys.verifierFor('ZZZZZ'), decoys.verifierFor('ZZZZY'));
});

/** Resolves when the registrar has recorded this many runs. */
async function recordedOutcomes(count: number): Promise<void> {
  while (bed.outcomes.length < count) await bed.nextOutcome();
}

test('a registrar that is something else is said to be', async () => {
  const other = createServer((socket) => socket.end('220 mail\r\n'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const code = await bed.codeFor('leaf-8');
  assert.match(await codeOf(bed.enrol(code, node('leaf-8'), { port })), /^peer\/(?:unreachable|protocol)$/);
  other.close();
  const pe2 = await bed.domain.identity('pe2');
  const tls = createTlsServer({ key: pe2.keyPem, cert: pe2.certPem, ALPNProtocols: ['h2'] });
  tls.listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const refused = await codeOf(bed.enrol(code, node('leaf-8'), { port: (tls.address() as AddressInfo).port }));
  assert.match(refused, /^peer\/(?:unreachable|protocol)$/);
  tls.close();
});

test('a thief of the registrar’s codes cannot enrol with them', async () => {
  const { id } = await bed.codeFor('leaf-9');
  const record = JSON.parse(await readFile(join(bed.registrarDir, 'codes', `${id}.json`), 'utf8'));
  const thief = startProver(idsOf(id), { w0: BigInt(`0x${record.w0}`), w1: 1n }, systemRandom);
  const exporter = Buffer.alloc(EXPORTER_BYTES);
  const { text, sha256 } = await preparePending(bed.folder(), node('leaf-9'));
  const hello = { type: 'hello', version: 1, code: id, requestSha256: sha256, shareP: hex(thief.shareP) } as const;
  const started = await bed.registrar.start(hello, exporter);
  assert.ok(started.ok);
  const claimed = thief.finish(contextOf(exporter, sha256), Buffer.from(started.value.challenge.shareV, 'hex'));
  assert.ok(claimed.ok);
  const answer = await started.value.finish({ type: 'proof', confirmP: hex(claimed.value.confirmP), request: text });
  assert.equal(answer.ok ? 'certificate' : answer.refusal.reason, 'wrong-code');
});
