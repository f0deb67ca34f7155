// The yardstick of the ask benchmark: a bare mutual TLS 1.3 handshake with one exchange of bytes, between two processes on loopback.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createSystemClock } from '#base/clock.ts';
import { initAuthority, issueCertificate } from '#mtls/authority.ts';
import { median } from './statistics.ts';

const ROUNDS = 40;
const EXCHANGES = 9;
const SERVER = `
const tls = require('node:tls'), fs = require('node:fs'), dir = process.argv[1];
const read = (name) => fs.readFileSync(dir + '/' + name);
tls.createServer({ cert: read('chain.pem'), key: read('key.pem'), ca: read('ca.pem'), requestCert: true, minVersion: 'TLSv1.3' },
  (socket) => { socket.on('data', (chunk) => socket.write(chunk)); socket.on('error', () => {}); })
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/** Median milliseconds of a handshake followed by nine exchanges of 1,600 bytes: about what one warm plus one cold question send. */
export async function bareTlsMs(): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const clock = createSystemClock();
  await initAuthority({ dir: join(dir, 'ca'), domain: 'bench.example', clock });
  const identity = join(dir, 'identity');
  await issueCertificate({
    dir: join(dir, 'ca'),
    kind: 'node',
    name: 'bench',
    out: identity,
    addresses: ['127.0.0.1'],
    clock,
  });
  const server = spawn(process.execPath, ['-e', SERVER, identity], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = Number(
      await new Promise<string>((resolve) => server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()))),
    );
    const [cert, key, ca] = await Promise.all(
      ['chain.pem', 'key.pem', 'ca.pem'].map((name) => readFile(join(identity, name))),
    );
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await exchange({ port, cert: cert!, key: key!, ca: ca! }));
    return median(times);
  } finally {
    server.kill();
    await rm(dir, { recursive: true, force: true });
  }
}

function exchange(options: {
  readonly port: number;
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      ...options,
      minVersion: 'TLSv1.3',
      checkServerIdentity: () => undefined,
    });
    let left = EXCHANGES;
    let expected = 0;
    const send = () => {
      expected = 1_600;
      socket.write(Buffer.alloc(1_600, 0x61));
    };
    socket.once('secureConnect', send);
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      expected -= chunk.length;
      if (expected > 0) return;
      if (--left > 0) return send();
      socket.destroy();
      resolve(performance.now() - started);
    });
  });
}
