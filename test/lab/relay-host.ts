// Runs inside a namespace: takes connections of a Unix socket, which reaches across namespaces, to a TCP port inside.
// Usage: relay-host.ts SOCKET HOST PORT
import { connect, createServer } from 'node:net';

const [socket = '', host = '', port = ''] = process.argv.slice(2);
createServer((near) => {
  const far = connect({ port: Number(port), host, noDelay: true });
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
  near.pipe(far).pipe(near);
}).listen(socket);
