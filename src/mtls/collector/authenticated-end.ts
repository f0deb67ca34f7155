// A TCP connection for a TLS session in which only an authenticated end counts. A FIN is plain TCP, and any box on the path can send one; node:tls
// tells it as 'end' like a close_notify (RFC 8446 §6.1, RFC 5246 §7.2.1). This stream keeps the FIN from the TLS session, whose 'end' is then
// a close_notify alone. The TCP connection's close destroys the stream.
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** `acceptsFin`: for a peer that never sends a close_notify; 'end' is then what anyone on the path may have made. */
export function authenticatedEnd(tcp: Socket, { acceptsFin }: { readonly acceptsFin: boolean }): Duplex {
  const stream = new Duplex({
    read() {
      tcp.resume();
    },
    write(bytes: Uint8Array, _encoding, done) {
      tcp.write(bytes, done);
    },
    final(done) {
      tcp.end(done);
    },
    destroy(error, done) {
      tcp.destroy();
      done(error);
    },
  });
  tcp.on('data', (bytes) => {
    if (!stream.push(bytes)) tcp.pause();
  });
  if (acceptsFin) tcp.once('end', () => stream.push(null));
  // It comes after everything that was received, and not in the same turn of the event loop.
  tcp.once('close', () => stream.destroy());
  return stream;
}
