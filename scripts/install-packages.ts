// Installs the Debian packages that labs and the browser test need, and says which. Keeps their services from starting on this machine: FRR and
// lldpd are wanted inside network namespaces only. Refuses where routing or LLDP daemons already run here, unless told `--yes`.
// Run: node --conditions=parley-source scripts/install-packages.ts [--yes]
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { run } from '#base/process.ts';

export const LAB_PACKAGES = [
  'frr',
  'frr-pythontools',
  'lldpd',
  'nftables',
  'iptables',
  'tcpdump',
  'iproute2',
  'ethtool',
  'iperf3',
  'fping',
  'iputils-ping',
  'procps',
  // Services of hosts: names, and addresses that real clients ask for.
  'dnsmasq-base',
  'udhcpc',
] as const;

/** For the tests of NETCONF devices: an SSH server and a NETCONF server, run in a namespace. Neither the demo nor labs need them. */
export const NETCONF_PACKAGES = ['openssh-server', 'netconfd'] as const;

/** For the test of the operators' page (test/console/): labs do not need it, and it is large. */
export const BROWSER_PACKAGES = ['chromium'] as const;

/** For the tests of the audit trail at a collector (test/audit/outward/): syslog over TLS with either library. */
export const COLLECTOR_PACKAGES = ['rsyslog', 'rsyslog-openssl', 'rsyslog-gnutls'] as const;

/** For the test of power cuts (test/bench/power-cut.test.ts), which compiles a small library. */
export const COMPILER_PACKAGES = ['gcc', 'libc6-dev'] as const;

/** For the test of the apt repository (test/apt-repository.test.ts), which signs one. */
export const SIGNING_PACKAGES = ['gpg', 'gpg-agent', 'apt'] as const;

/** For the benchmark of installation (bench/install.ts), which boots Debian in containers. No test needs them. */
export const INSTALL_PACKAGES = ['debootstrap', 'systemd-container'] as const;

/** For the tests of aggregators that share a registration store (test/aggregate/split-brain.test.ts), which start it themselves. */
export const STORE_PACKAGES = ['etcd-server'] as const;

export type EnsureOptions = {
  /** Go on although routing or LLDP daemons run on this machine. */
  readonly yes?: boolean;
  readonly say?: (line: string) => void;
  readonly packages?: readonly string[];
};

export type Ensured =
  | { readonly ok: true; readonly installed: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const POLICY = '/usr/sbin/policy-rc.d';
const SAVED = '/usr/sbin/policy-rc.d.parley-saved';
/** What our own policy file says; by this line it is known again after a crash. */
const MARK = '# placed by parley for the time of one installation, process';
const HOST_DAEMONS = ['zebra', 'watchfrr', 'bgpd', 'isisd', 'ospfd', 'staticd', 'lldpd'];

/** Installs what is missing; instant when nothing is. Never throws for a machine that cannot: says why instead. */
export async function ensurePackages(options: EnsureOptions = {}): Promise<Ensured> {
  const say = options.say ?? (() => {});
  restorePolicy();
  const missing = await missingPackages(options.packages ?? LAB_PACKAGES);
  if (missing === undefined) return { ok: false, reason: 'expected a Debian system with dpkg and apt-get, found none' };
  if (missing.length === 0) return { ok: true, installed: [] };
  if (process.getuid?.() !== 0) return { ok: false, reason: `expected root to install ${missing.join(' ')}` };
  const running = hostDaemons();
  if (running.length > 0 && !options.yes) {
    return {
      ok: false,
      reason: `${running.join(', ')} already run on this machine; say --yes to install ${missing.join(' ')} all the same`,
    };
  }
  say(`installing Debian packages: ${missing.join(' ')} (their services are kept from starting)`);
  return withoutServices(() => install(missing, say));
}

/** Names of `packages` that dpkg does not hold as installed; undefined without dpkg. */
export async function missingPackages(packages: readonly string[]): Promise<string[] | undefined> {
  const answer = await run('dpkg-query', ['-W', '-f', `\${Package} \${db:Status-Status}\\n`, ...packages], {
    timeoutMs: 20_000,
  });
  if (answer.exitCode === 127) return undefined;
  const installed = new Set(answer.stdout.split('\n').filter((line) => line.endsWith(' installed')));
  return packages.filter((name) => !installed.has(`${name} installed`));
}

/** Routing and LLDP daemons in this process's own network namespace: those of labs have namespaces of their own. */
export function hostDaemons(): string[] {
  const here = readlinkSync('/proc/self/ns/net');
  const found = new Set<string>();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
      if (HOST_DAEMONS.includes(name) && readlinkSync(`/proc/${pid}/ns/net`) === here) found.add(name);
    } catch {
      // The process ended while we looked.
    }
  }
  return [...found].sort();
}

async function install(missing: readonly string[], say: (line: string) => void): Promise<Ensured> {
  const apt = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Use-Pty=0'];
  const installArgs = ['install', ...apt, '--no-install-recommends', ...missing];
  let ended = await aptGet(installArgs);
  if (ended.exitCode !== 0 && !ended.interrupted) {
    say('package lists are missing or old: apt-get update');
    const updated = await aptGet(['update', '-q']);
    if (updated.exitCode !== 0) return { ok: false, reason: `apt-get update: ${updated.tail}` };
    ended = await aptGet(installArgs);
  }
  if (ended.interrupted) return { ok: false, reason: 'interrupted' };
  if (ended.exitCode !== 0) return { ok: false, reason: `apt-get install: ${ended.tail}` };
  return { ok: true, installed: missing };
}

/** Runs apt-get; Ctrl-C is passed on and waited for, so that services stay forbidden as long as dpkg still works. */
function aptGet(args: readonly string[]): Promise<{ exitCode: number; interrupted: boolean; tail: string }> {
  return new Promise((resolve) => {
    let tail = '';
    let interrupted = false;
    const child = spawn('apt-get', [...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    });
    const keep = (chunk: Buffer) => {
      tail = (tail + chunk.toString('utf8')).slice(-2_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const stop = () => {
      interrupted = true;
      child.kill('SIGINT');
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    const done = (exitCode: number) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve({ exitCode, interrupted, tail: tail.trim().split('\n').slice(-6).join(' | ') });
    };
    child.on('error', (error) => {
      tail = error.message;
      done(127);
    });
    child.on('close', (code) => done(code ?? 1));
  });
}

/** While `work` runs, `invoke-rc.d` may start nothing; the machine's own policy comes back in every case. */
async function withoutServices<T>(work: () => Promise<T>): Promise<T> {
  if (existsSync(POLICY)) renameSync(POLICY, SAVED);
  writeFileSync(POLICY, `#!/bin/sh\n${MARK} ${process.pid}\nexit 101\n`, { mode: 0o755 });
  process.on('exit', restorePolicy);
  try {
    return await work();
  } finally {
    restorePolicy();
    process.off('exit', restorePolicy);
  }
}

/** Undoes `withoutServices`, also what a killed run left behind; an installation that still runs is left alone. */
function restorePolicy(): void {
  if (existsSync(POLICY)) {
    const placedBy = new RegExp(`^${MARK} (\\d+)$`, 'm').exec(readFileSync(POLICY, 'utf8'))?.[1];
    if (placedBy !== undefined) {
      if (Number(placedBy) !== process.pid && existsSync(`/proc/${placedBy}`)) return;
      rmSync(POLICY, { force: true });
    }
  }
  if (existsSync(SAVED) && !existsSync(POLICY)) renameSync(SAVED, POLICY);
}

if (import.meta.main) {
  const ensured = await ensurePackages({
    yes: process.argv.includes('--yes'),
    say: (line) => console.error(line),
    packages: [...LAB_PACKAGES, ...NETCONF_PACKAGES, ...BROWSER_PACKAGES, ...COLLECTOR_PACKAGES, ...COMPILER_PACKAGES],
  });
  if (!ensured.ok) console.error(ensured.reason);
  else
    console.error(
      ensured.installed.length === 0 ? 'all packages are there' : `installed: ${ensured.installed.join(' ')}`,
    );
  process.exitCode = ensured.ok ? 0 : 1;
}
