// A real NETCONF device in a network namespace of its own: OpenSSH's sshd with a user and a password that exist only there, and
// netconfd behind it. A relay takes connections on this machine's loopback into the namespace, so that a test can also cut them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settle } from '../contracts/router-port.ts';

const ROOT = join(import.meta.dirname, '../..');
export const NETCONF_USER = 'netconf';

export type NetconfBed = {
  readonly port: number;
  readonly password: string;
  readonly passwordFile: string;
  readonly keyFile: string;
  /** SHA-256 of the host key, as `ssh-keygen -lf` prints it. */
  readonly hostKey: string;
  readonly folder: string;
  /** Ends every connection at once, as a broken network does; new ones are taken again. */
  readonly cut: () => void;
  /** No connection is taken until `true` comes. */
  readonly reachable: (yes: boolean) => void;
  /** Ends netconfd and the sshd with SIGKILL. */
  readonly killServer: () => Promise<void>;
  readonly startServer: () => Promise<void>;
  readonly down: () => Promise<void>;
};

const SHELL = `
mount --make-rprivate /
mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd
mount --bind $F/passwd /etc/passwd && mount --bind $F/shadow /etc/shadow
`;

const MODULES = ['iana-if-type', 'ietf-interfaces', 'ietf-ip', 'ietf-routing'];

export async function upNetconfBed(): Promise<NetconfBed> {
  const namespace = `nc-${randomBytes(3).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), `${namespace}-`));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, '.yuma'));
  const password = randomBytes(12).toString('hex');
  writeUser(folder, password);
  for (const name of ['host', 'client'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  writeFileSync(join(folder, 'authorized'), readFileSync(join(folder, 'client.pub')));
  writeFileSync(join(folder, 'sshd.conf'), sshdConfiguration(folder));
  const children: ChildProcess[] = [];
  const sockets = new Set<Socket>();
  const inside = (command: string) => {
    const child = spawn(
      'ip',
      ['netns', 'exec', namespace, 'unshare', '--mount', 'sh', '-c', `set -e${SHELL}${command}`],
      {
        cwd: ROOT,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, F: folder },
      },
    );
    children.push(child);
    return child;
  };
  execFileSync('ip', ['netns', 'add', namespace]);
  execFileSync('ip', ['-n', namespace, 'link', 'set', 'lo', 'up']);
  let servers: ChildProcess[] = [];
  // netconfd keeps what it goes back to in ~/.yuma, or where it was started if that is missing: two devices with one place for it would
  // bring back each other's configuration.
  const startServer = async () => {
    const modules = MODULES.map((name) => `--module=${name}`).join(' ');
    rmSync(join(folder, 'ncx.sock'), { force: true });
    servers = [
      inside(
        `cd $F; HOME=$F exec /usr/sbin/netconfd --ncxserver-sockname=$F/ncx.sock --port=830 --superuser=${NETCONF_USER} --no-startup --target=candidate --log=$F/netconfd.log --log-level=info ${modules}`,
      ),
      inside('exec /usr/sbin/sshd -D -e -f $F/sshd.conf 2>$F/sshd.log'),
    ];
    await settle(async () => await answers(join(folder, 'relay.sock')), 'the SSH server to greet');
  };
  const relay = relayOf(join(folder, 'relay.sock'), sockets);
  const down = async () => {
    relay.close();
    for (const socket of sockets) socket.destroy();
    for (const child of children.toReversed()) await end(child);
    execFileSync('ip', ['netns', 'del', namespace]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    inside(`exec ${process.execPath} --conditions=parley-source test/lab/relay-host.ts $F/relay.sock 127.0.0.1 830`);
    await startServer();
    let open = true;
    relay.on('connection', (socket) => {
      if (!open) socket.destroy();
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const port = (relay.address() as { port: number }).port;
    writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 });
    const cut = () => {
      for (const socket of sockets) socket.destroy();
    };
    return {
      port,
      password,
      passwordFile: join(folder, 'password'),
      keyFile: join(folder, 'client'),
      hostKey: fingerprintOf(join(folder, 'host.pub')),
      folder,
      cut,
      reachable(yes) {
        open = yes;
        if (!yes) cut();
      },
      killServer: async () => {
        for (const child of servers) await end(child);
      },
      startServer,
      down,
    };
  } catch (error) {
    await down();
    throw error;
  }
}

/** A few of this machine's users plus one, seen only inside, where the folder is root's home: netconfd asks for it by HOME and by the user. */
function writeUser(folder: string, password: string): void {
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: password, encoding: 'utf8' }).trim();
  const others = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .filter((line) => /^(root|sshd|nobody):/.test(line))
    .map((line) => line.replace(/^(root(?::[^:]*){4}):[^:]*/, `$1:${folder}`));
  writeFileSync(join(folder, 'passwd'), [...others, `${NETCONF_USER}:x:64123:65534::/tmp:/bin/sh`, ''].join('\n'));
  const locked = others.map((line) => `${line.split(':')[0]}:*:19000:0:99999:7:::`);
  writeFileSync(join(folder, 'shadow'), [...locked, `${NETCONF_USER}:${hash}:19000:0:99999:7:::`, ''].join('\n'));
}

function sshdConfiguration(folder: string): string {
  return [
    'Port 830',
    'ListenAddress 127.0.0.1',
    `HostKey ${folder}/host`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication yes',
    `AuthorizedKeysFile ${folder}/authorized`,
    `Subsystem netconf "/usr/sbin/netconf-subsystem --ncxserver-sockname=830@${folder}/ncx.sock"`,
    '',
  ].join('\n');
}

function fingerprintOf(path: string): string {
  const octets = Buffer.from(readFileSync(path, 'utf8').split(' ')[1]!, 'base64');
  return `SHA256:${createHash('sha256').update(octets).digest('base64').replace(/=+$/, '')}`;
}

function relayOf(path: string, sockets: Set<Socket>): Server {
  return createServer({ noDelay: true }, (near) => {
    const far = connect(path);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const finish = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('data', (greeting) => finish(String(greeting).startsWith('SSH-2.0-')));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
