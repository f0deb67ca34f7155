// Power cuts and lost answers: wherever a run is cut, the node goes on with the same keys and ends with one identity.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { systemRandom } from '#base/random.ts';
import { askRegistrar } from '#mtls/enrol/ask-registrar.ts';
import { loadCode } from '#mtls/enrol/code-store.ts';
import { receiveMessage, sendMessage } from '#mtls/enrol/frames.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import { ENROL_ALPN } from '#mtls/enrol/messages.ts';
import { installGrant, loadPending, preparePending } from '#mtls/enrol/pending.ts';
import { loadIdentity } from '#mtls/identity.ts';
import { systemClock } from '../domain.ts';
import { type EnrolBed, upRegistrar } from './enrol-bed.ts';

let bed: EnrolBed;
before(async () => {
  bed = await upRegistrar();
});
after(() => bed?.down());

const node = (name: string) => ({ kind: 'node', name }) as const;

test('wherever the installation is cut, another run ends with the same certificate [TS-24]', async () => {
  const files = ['key.pem', 'signing-key.pem', 'ca.pem', 'chain.pem'];
  for (let written = 0; written <= files.length; written++) {
    const name = `leaf-${written}`;
    const code = await bed.codeFor(name);
    const out = bed.folder();
    const pending = await preparePending(out, node(name));
    const asked = { host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom };
    const grant = await askRegistrar(asked);
    // What a whole installation would have written, up to the cut.
    const whole = `${out}-whole`;
    await mkdir(join(whole, 'pending'), { recursive: true });
    for (const file of await readdir(join(out, 'pending')))
      await writeFile(join(whole, 'pending', file), await readFile(join(out, 'pending', file)));
    await installGrant(whole, grant, systemClock);
    for (const file of files.slice(0, written)) await writeFile(join(out, file), await readFile(join(whole, file)));
    const { identity } = await bed.enrol(code, node(name), { out });
    assert.equal(identity?.party.name, name);
    assert.equal((await loadIdentity(out)).certPem, (await loadIdentity(whole)).certPem);
    assert.equal(bed.outcomes.at(-1)?.outcome, 'repeated');
    assert.deepEqual((await readdir(out)).sort(), files.toSorted());
  }
});

test('wherever the replacement of an identity is cut, the old one or the new one is whole [TS-24]', async () => {
  const out = bed.folder();
  const first = await bed.enrol(await bed.codeFor('leaf-30'), node('leaf-30'), { out });
  let old = first.identity!.thumbprint;
  const steps = ['written', 'written', 'written', 'written', 'switched', 'placed', 'placed', 'placed', 'placed'];
  const seen: string[] = [];
  for (let cutAt = 0; cutAt < steps.length; cutAt++) {
    const [made] = await bed.codes([node('leaf-30')], { replace: true });
    const pending = await preparePending(out, node('leaf-30'));
    const asked = { host: '127.0.0.1', port: bed.port, code: made!.code, pending, clock: systemClock };
    const grant = await askRegistrar({ ...asked, random: systemRandom });
    seen.length = 0;
    const cut = (step: string) => {
      if (seen.push(step) > cutAt) throw new Error('power cut');
    };
    await assert.rejects(installGrant(out, grant, systemClock, undefined, cut), /power cut/);
    assert.deepEqual(seen, steps.slice(0, cutAt + 1));
    // As the agent finds it, which may not write there.
    const found = (await loadIdentity(out)).thumbprint;
    assert.equal(found === old, cutAt < steps.indexOf('switched'), `after ${seen}`);
    const { identity } = await installGrant(out, grant, systemClock);
    assert.equal(identity?.thumbprint, (await loadIdentity(out)).thumbprint);
    assert.equal(found === old || found === identity?.thumbprint, true);
    old = identity!.thumbprint;
    assert.deepEqual((await readdir(out)).sort(), ['ca.pem', 'chain.pem', 'key.pem', 'signing-key.pem']);
  }
});

test('a request that was cut while it was written is made anew, with keys that fit', async () => {
  const out = bed.folder();
  const first = await preparePending(out, node('leaf-10'));
  assert.equal((await preparePending(out, node('leaf-10'))).text, first.text);
  for (const file of ['key.pem', 'signing-key.pem', 'request.json']) {
    const before = await preparePending(out, node('leaf-10'));
    await writeFile(join(out, 'pending', file), '');
    assert.equal(await loadPending(out), undefined);
    const made = await preparePending(out, node('leaf-10'));
    assert.notEqual(made.text, before.text);
    assert.equal((await loadPending(out))?.text, made.text);
  }
  const other = await preparePending(out, node('leaf-11'));
  assert.equal((await loadPending(out))?.request.name, 'leaf-11');
  assert.notEqual(other.text, first.text);
});

test('the code is used, on disk, before the certificate is let out; a cut before that lets none out', async () => {
  const code = await bed.codeFor('leaf-12');
  const out = bed.folder();
  const { identity } = await bed.enrol(code, node('leaf-12'), { out });
  const stored = await loadCode(bed.registrarDir, code.id);
  assert.equal(stored?.state.used?.chain[0], identity?.chain[0]);
  // As if the power had failed between signing and that write: no certificate has left, so the code is as good as new.
  await rm(join(bed.registrarDir, 'codes', `${code.id}.state.json`));
  const again = await bed.enrol(code, node('leaf-12'), { out: bed.folder() });
  assert.equal(again.party, 'leaf-12');
});

test('a certificate that is let out is in the register of the registrar, before and after a cut', async () => {
  const code = await bed.codeFor('leaf-16');
  const out = bed.folder();
  const pending = await preparePending(out, node('leaf-16'));
  const asked = { host: '127.0.0.1', code, pending, clock: systemClock, random: systemRandom };
  const issued = join(bed.registrarDir, 'issued', 'node.leaf-16.json');
  // A register that cannot be written: the code is not used, and nothing is let out.
  await mkdir(`${issued}/full`, { recursive: true });
  await assert.rejects(askRegistrar({ ...asked, port: bed.port }), { data: { reason: 'failed' } });
  assert.equal((await loadCode(bed.registrarDir, code.id))?.state.used, undefined);
  await rm(issued, { recursive: true });
  await askRegistrar({ ...asked, port: bed.port });
  const kept = await readFile(issued, 'utf8');
  // As a registrar of before left it when the power failed between its two writes.
  await rm(issued);
  await bed.restart();
  await askRegistrar({ ...asked, port: bed.port });
  assert.equal(bed.outcomes.at(-1)?.outcome, 'repeated');
  assert.deepEqual(JSON.parse(await readFile(issued, 'utf8')), JSON.parse(kept));
  await assert.rejects(bed.codeFor('leaf-16'), { code: 'caller/name-certified' });
});

test('a path that breaks after the challenge costs one run, in however many commands [TS-24]', async () => {
  const code = await bed.codeFor('leaf-17');
  const out = bed.folder();
  // Lets a hello and its answer pass, and cuts where the node sends more.
  const box = createServer((near) => {
    const far = connect(bed.port, '127.0.0.1');
    let heard = 0;
    for (const each of [near, far]) each.on('error', () => {});
    far.on('data', (bytes) => near.write(bytes)).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.on('data', (bytes) => {
      heard += 1;
      if (heard <= 2) far.write(bytes);
      else near.destroy();
    });
  });
  box.listen(0, '127.0.0.1');
  await once(box, 'listening');
  const { port } = box.address() as AddressInfo;
  const pauses: number[] = [];
  const clock = {
    sleep: (ms: number, signal?: AbortSignal) =>
      ms === ENROL_LIMITS.runMs ? systemClock.sleep(ms, signal) : Promise.resolve(void pauses.push(ms)),
  };
  for (let command = 1; command <= 3; command++) {
    pauses.length = 0;
    const pending = await preparePending(out, node('leaf-17'));
    const asked = { host: '127.0.0.1', port, code, pending, clock, random: systemRandom };
    await assert.rejects(askRegistrar(asked), { code: 'peer/unreachable', message: /MTU of the path/ });
    assert.equal(pauses.length, ENROL_LIMITS.provenRetries);
    assert.ok(pauses[0]! >= ENROL_LIMITS.provenRetryMs && pauses[1]! >= 2 * ENROL_LIMITS.provenRetryMs);
    assert.equal((await loadCode(bed.registrarDir, code.id))?.state.failed, 1);
  }
  box.close();
  assert.equal((await bed.enrol(code, node('leaf-17'), { out })).party, 'leaf-17');
});

test('a share is of one request and one secret', async () => {
  const shareOf = async (secret: string, out: string) => {
    const heard: string[] = [];
    const id = 'K7QM3';
    const thief = await bed.domain.identity('thief');
    const impostor = createTlsServer({ key: thief.keyPem, cert: thief.certPem, ALPNProtocols: [ENROL_ALPN] });
    impostor.on('secureConnection', async (socket) => {
      socket.on('error', () => {});
      const hello = await receiveMessage(socket);
      if (hello !== 'closed' && hello.ok) heard.push((hello.value as { shareP: string }).shareP);
      sendMessage(socket, { type: 'challenge', shareV: heard[0], confirmV: '00'.repeat(32) });
    });
    impostor.listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    const { port } = impostor.address() as AddressInfo;
    const pending = await preparePending(out, node('leaf-18'));
    const asked = { host: '127.0.0.1', port, code: { id, secret }, pending, clock: systemClock, random: systemRandom };
    await assert.rejects(askRegistrar(asked), { code: 'peer/registrar-not-proven' });
    impostor.close();
    return heard[0];
  };
  const [one, other] = [bed.folder(), bed.folder()];
  const share = await shareOf('XPA9RTD4W', one);
  assert.equal(await shareOf('XPA9RTD4W', one), share);
  assert.notEqual(await shareOf('XPA9RTD4X', one), share);
  assert.notEqual(await shareOf('XPA9RTD4W', other), share);
});

test('a grant for other keys, another request or another name is not installed', async () => {
  const out = bed.folder();
  const pending = await preparePending(out, node('leaf-13'));
  const code = await bed.codeFor('leaf-13');
  const asked = { host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom };
  const grant = await askRegistrar(asked);
  const elsewhere = bed.folder();
  await assert.rejects(installGrant(elsewhere, grant, systemClock), { code: 'caller/no-pending' });
  const other = await preparePending(elsewhere, node('leaf-13'));
  await assert.rejects(installGrant(elsewhere, grant, systemClock), /for another request/);
  await assert.rejects(
    installGrant(elsewhere, { ...grant, requestSha256: other.sha256 }, systemClock),
    /a certificate for other keys/,
  );
  const third = bed.folder();
  const renamed = await preparePending(third, node('leaf-14'));
  await assert.rejects(
    installGrant(third, { ...grant, requestSha256: renamed.sha256 }, systemClock),
    /a certificate of node leaf-13/,
  );
  await assert.rejects(installGrant(out, grant, systemClock, 'other.example'), /configured for other\.example/);
  const stranger = (await bed.domain.identity('stranger')).chain[0]!;
  await assert.rejects(installGrant(out, { ...grant, ca: stranger }, systemClock), /does not hold/);
  assert.deepEqual(await readdir(out), ['pending']);
  assert.equal((await installGrant(out, grant, systemClock, 'lab.example')).party, 'leaf-13');
});

test('a node whose clock stands in 1970 installs its certificate, and knows that its clock is to be set', async () => {
  const out = bed.folder();
  const pending = await preparePending(out, node('leaf-15'));
  const code = await bed.codeFor('leaf-15');
  const asked = { host: '127.0.0.1', port: bed.port, code, pending, clock: systemClock, random: systemRandom };
  const installed = await installGrant(out, await askRegistrar(asked), { nowMs: () => 0 });
  assert.equal(installed.identity, undefined);
  assert.equal((await loadIdentity(out)).party.name, 'leaf-15');
});
