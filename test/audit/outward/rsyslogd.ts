// A real rsyslogd on the loopback interface, for tests: syslog over TLS, with a certificate of a CA made for the test. What it received is in a
// file, one line a message with the fields as rsyslog has parsed them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { COLLECTOR_PACKAGES, missingPackages } from '../../../scripts/install-packages.ts';
import { until } from '../../fakes/clock.ts';
import { createDomain } from '../../mtls/domain.ts';

export type Received = {
  readonly pri: string;
  readonly time: string;
  readonly host: string;
  readonly app: string;
  readonly msgid: string;
  readonly data: string;
  readonly msg: string;
};

export type Rsyslogd = {
  readonly port: number;
  readonly pid: number;
  kill(name: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

/** Why there can be no collector on this machine; undefined when there can. */
export async function collectorObstacle(): Promise<string | undefined> {
  const missing = (await missingPackages(COLLECTOR_PACKAGES)) ?? COLLECTOR_PACKAGES;
  return missing.length === 0
    ? undefined
    : `expected ${missing.join(' ')}: install them with "node --conditions=parley-source scripts/install-packages.ts"`;
}

/** The body of a test that needs a collector. Where there is none, it says so and proves nothing. */
export function withCollector(body: (t: TestContext) => Promise<void>): (t: TestContext) => Promise<void> {
  return async (t) => {
    const obstacle = await collectorObstacle();
    if (obstacle === undefined) return body(t);
    t.diagnostic(`NOT RUN: ${obstacle}`);
    console.log(`test with a syslog collector NOT RUN: ${obstacle}`);
  };
}

export async function createCollector() {
  const domain = await createDomain('collectors.example');
  await domain.identity('logs', { dnsNames: ['logs.example'] });
  const { dir } = domain;
  const out = join(dir, 'received.jsonl');
  const ca = join(dir, 'ca', 'ca.pem');
  const running = new Set<Rsyslogd>();
  return {
    dir,
    ca,
    domain,
    /** Listens on `port`, or on one that is free. */
    async start(port = 0, driver: 'ossl' | 'gtls' = 'ossl'): Promise<Rsyslogd> {
      const portFile = join(dir, 'port');
      await rm(portFile, { force: true });
      const config = join(dir, 'rsyslog.conf');
      await writeFile(config, configOf({ dir, ca, out, port, portFile, driver }));
      const child = spawn('/usr/sbin/rsyslogd', ['-n', '-i', 'NONE', '-f', config], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      // It writes the file only where it chose the port itself.
      const listens = async () => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error('rsyslogd has ended');
        return port === 0 ? (await portIn(portFile)) > 0 : await isOpen(port);
      };
      await until(listens, 'rsyslogd listens').catch((error) => {
        child.kill('SIGKILL');
        throw error;
      });
      const started: Rsyslogd = {
        port: port === 0 ? await portIn(portFile) : port,
        pid: child.pid!,
        async kill(name) {
          running.delete(started);
          child.kill(name);
          await ended;
        },
      };
      running.add(started);
      return started;
    },
    async received(): Promise<readonly Received[]> {
      const text = await readFile(out, 'utf8').catch(() => '');
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      return whole
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
    async remove() {
      for (const each of [...running]) await each.kill('SIGKILL');
      await domain.remove();
    },
  };
}

export type Collector = Awaited<ReturnType<typeof createCollector>>;

/** The parameter of our structured data, as in `seq="7"`. */
export function parameterOf({ data }: Received, name: string): string | undefined {
  return new RegExp(` ${name}="((?:[^"\\\\\\]]|\\\\.)*)"`).exec(data)?.[1];
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function portIn(file: string): Promise<number> {
  return Number((await readFile(file, 'utf8').catch(() => '')).trim());
}

function configOf(init: {
  readonly dir: string;
  readonly ca: string;
  readonly out: string;
  readonly port: number;
  readonly portFile: string;
  readonly driver: 'ossl' | 'gtls';
}): string {
  const field = (name: string, property: string) => `property(outname="${name}" name="${property}" format="jsonf")`;
  return `
global(workDirectory="${init.dir}"
  defaultNetstreamDriverCAFile="${init.ca}"
  defaultNetstreamDriverCertFile="${join(init.dir, 'logs', 'chain.pem')}"
  defaultNetstreamDriverKeyFile="${join(init.dir, 'logs', 'key.pem')}")
# Without a queue in memory, what it has taken is written before it closes a connection, also when it is killed.
main_queue(queue.type="Direct")
module(load="imtcp" streamDriver.name="${init.driver}" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="received" type="list") {
  constant(value="{")
  ${field('pri', 'pri')} constant(value=", ")
  ${field('time', 'timestamp')} constant(value=", ")
  ${field('host', 'hostname')} constant(value=", ")
  ${field('app', 'app-name')} constant(value=", ")
  ${field('msgid', 'msgid')} constant(value=", ")
  ${field('data', 'structured-data')} constant(value=", ")
  ${field('msg', 'msg')}
  constant(value="}\\n")
}
ruleset(name="all") { action(type="omfile" file="${init.out}" template="received") }
input(type="imtcp" address="127.0.0.1" port="${init.port}" listenPortFileName="${init.portFile}" ruleset="all")
`;
}
