// The SSH connection under NETCONF (RFC 6242). A host key that the operator has not pinned ends it before any credential is sent;
// SHA-1, CBC and everything else that is broken is not offered. Knows nothing of NETCONF.
import { createHash, timingSafeEqual } from 'node:crypto';
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import { messageOf, ParleyError } from '#base/error.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import type { ByteStream } from './channel.ts';

export type SshTarget = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** `SHA256:…` as ssh-keygen prints it; any of these, and no other. */
  readonly hostKeys: readonly string[];
  readonly credential: { readonly password: string } | { readonly privateKey: string };
};

export type SshConnection = {
  /** A channel to the subsystem `netconf`. */
  open(): Promise<ByteStream>;
  readonly closed: boolean;
  onEnd(hear: () => void): void;
  end(): void;
};

const ALGORITHMS: NonNullable<ConnectConfig['algorithms']> = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes256-ctr', 'aes192-ctr', 'aes128-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};

/** Rejects with `node/netconf-host-key`, `node/netconf-login` or `node/netconf-unreachable`. */
export function dialSsh(target: SshTarget): Promise<SshConnection> {
  const client = new Client();
  let closed = false;
  let presented: string | undefined;
  client.on('close', () => {
    closed = true;
  });
  return new Promise((resolve, reject) => {
    client.once('ready', () => {
      // Small requests and replies in turn: held back for more, each would wait 40 ms, and a device would read two messages as one piece.
      client.setNoDelay(true);
      resolve(connectionOf(client, () => closed));
    });
    // Stays for the connection's life: an error without a listener would end the agent.
    client.on('error', (error) => {
      reject(failureOf(target, presented, error));
      client.destroy();
    });
    client.once('close', () => reject(unreachable(target, 'came the end of the connection')));
    try {
      client.connect({
        host: target.host,
        port: target.port,
        username: target.user,
        ...target.credential,
        algorithms: ALGORITHMS,
        readyTimeout: DRIVER_LIMITS.netconfHelloMs,
        keepaliveInterval: DRIVER_LIMITS.netconfKeepaliveMs,
        keepaliveCountMax: DRIVER_LIMITS.netconfKeepalives,
        hostVerifier: (key: Buffer) => {
          const fingerprint = fingerprintOf(key);
          if (target.hostKeys.some((pinned) => sameText(pinned, fingerprint))) return true;
          presented = fingerprint;
          return false;
        },
      });
    } catch (error) {
      // A private key that cannot be read.
      reject(new ParleyError('caller/config-invalid', `expected a private key for SSH, got ${messageOf(error)}`));
    }
  });
}

function connectionOf(client: Client, isClosed: () => boolean): SshConnection {
  return {
    open: () =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new ParleyError('node/netconf-unreachable', 'expected a channel, got the end'));
        client.once('close', ended);
        client.subsys('netconf', (error: Error | undefined, channel: ClientChannel) => {
          client.off('close', ended);
          if (error === undefined) return resolve(channel);
          const message = `expected the subsystem netconf, got ${error.message}`;
          reject(new ParleyError('node/netconf-unreachable', message, { cause: error }));
        });
      }),
    get closed() {
      return isClosed();
    },
    onEnd: (hear) => void client.once('close', hear),
    end: () => void client.end(),
  };
}

/** As OpenSSH prints it: base64 without padding. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** ssh2 marks its errors with `level`. */
function failureOf(target: SshTarget, presented: string | undefined, error: Error & { level?: string }): ParleyError {
  const at = `${target.host} port ${target.port}`;
  if (presented !== undefined) {
    const message = `expected a pinned host key of ${at}, got ${presented}`;
    return new ParleyError('node/netconf-host-key', message, { data: { retryPossible: false }, cause: error });
  }
  if (error.level === 'client-authentication') {
    const message = `expected ${at} to let ${target.user} in, it refused`;
    return new ParleyError('node/netconf-login', message, { data: { retryPossible: false }, cause: error });
  }
  return unreachable(target, `came ${error.message.slice(0, 200)}`, error);
}

function unreachable(target: SshTarget, reason: string, cause?: Error): ParleyError {
  const message = `expected an SSH connection to ${target.host} port ${target.port}, ${reason}`;
  return new ParleyError('node/netconf-unreachable', message, cause === undefined ? {} : { cause });
}
