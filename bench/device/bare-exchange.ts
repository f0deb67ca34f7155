// The yardstick of one call: bytes there and bytes back over one mutual TLS 1.3 session between two processes on loopback, with nothing
// behind it. The certificates are those of the lab; the server has the node's own.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

const SERVER = `
const tls = require('node:tls'), fs = require('node:fs'), [dir, requestBytes, answerBytes] = process.argv.slice(1);
const read = (name) => fs.readFileSync(dir + '/' + name), answer = Buffer.alloc(Number(answerBytes), 0x61);
tls.createServer({ cert: read('chain.pem'), key: read('key.pem'), ca: read('ca.pem'), requestCert: true, minVersion: 'TLSv1.3' },
  (socket) => { let got = 0; socket.setNoDelay(true); socket.on('error', () => {});
    socket.on('data', (chunk) => { for (got += chunk.length; got >= requestBytes; got -= requestBytes) socket.write(answer); }); })
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

export type BareExchange = { exchange(): Promise<void>; close(): void };

export async function startBareExchange(
  identityDir: string,
  bytes: { readonly request: number; readonly answer: number },
): Promise<BareExchange> {
  const server = spawn(process.execPath, ['-e', SERVER, identityDir, String(bytes.request), String(bytes.answer)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve) =>
    server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  const [cert, key, ca] = await Promise.all(
    ['chain.pem', 'key.pem', 'ca.pem'].map((name) => readFile(join(identityDir, name))),
  );
  const options = { host: '127.0.0.1', port: Number(port), cert: cert!, key: key!, ca: ca! };
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const opened = connect({ ...options, minVersion: 'TLSv1.3', checkServerIdentity: () => undefined });
    opened.setNoDelay(true);
    opened.once('secureConnect', () => resolve(opened));
    opened.once('error', reject);
  });
  const request = Buffer.alloc(bytes.request, 0x61);
  let [left, done] = [0, () => {}];
  socket.on('data', (chunk) => {
    left -= chunk.length;
    if (left <= 0) done();
  });
  return {
    exchange: () =>
      new Promise((resolve) => {
        [left, done] = [bytes.answer, resolve];
        socket.write(request);
      }),
    close() {
      socket.destroy();
      server.kill();
    },
  };
}
