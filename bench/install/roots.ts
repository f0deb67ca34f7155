// Debian roots to install into: one base with systemd and FRR, made by debootstrap and kept, and a copy of it for each machine, which an overlay
// makes at once and which is thrown away.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { run } from '#base/process.ts';

const STEP_MS = 600_000;
const MIRROR = 'http://deb.debian.org/debian';
const SUITE = 'bookworm';
/** A router that runs systemd and FRR, without what FRR only recommends. */
const ROUTER = ['systemd', 'systemd-sysv', 'dbus', 'frr'];

export async function must(program: string, args: readonly string[], timeoutMs = STEP_MS): Promise<string> {
  const ended = await run(program, args, { timeoutMs });
  if (ended.exitCode === 0) return ended.stdout;
  const said = (ended.stderr || ended.stdout).trim().slice(-600);
  throw new ParleyError('us/bench', `expected ${program} ${args.join(' ')} to succeed, got ${ended.exitCode}: ${said}`);
}

export function inRoot(root: string, ...command: readonly string[]): Promise<string> {
  const clean = ['-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'DEBIAN_FRONTEND=noninteractive'];
  return must('chroot', [root, '/usr/bin/env', ...clean, ...command]);
}

/** The base, made where it is not there yet. */
export async function baseRoot(folder: string, say: (line: string) => void): Promise<string> {
  const base = join(folder, 'base');
  const done = join(folder, 'base.done');
  if (existsSync(done)) return base;
  await rm(base, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  say('debootstrap: a root with systemd and FRR');
  await must('debootstrap', ['--variant=minbase', '--include=systemd,systemd-sysv,dbus', SUITE, base, MIRROR]);
  await copyFile('/etc/resolv.conf', join(base, 'etc/resolv.conf'));
  await rm(join(base, 'etc/apt/sources.list'), { force: true });
  const sources = '/etc/apt/sources.list.d/debian.sources';
  await copyFile(sources, join(base, sources));
  await inRoot(base, 'apt-get', 'update', '-q');
  await inRoot(base, 'apt-get', 'dist-upgrade', '-y', '-q');
  await inRoot(base, 'apt-get', 'install', '-y', '-q', '--no-install-recommends', ...ROUTER);
  await inRoot(base, 'apt-get', 'clean');
  await writeFile(done, '');
  return base;
}

export type Root = { readonly path: string; remove(): Promise<void> };

/** A copy of `base` in which what is written stays apart. */
export async function copyOf(base: string, folder: string, name: string): Promise<Root> {
  const over = join(folder, `over-${name}`);
  const path = join(over, 'root');
  await rm(over, { recursive: true, force: true });
  for (const part of ['upper', 'work', 'root']) await mkdir(join(over, part), { recursive: true });
  const layers = `lowerdir=${base},upperdir=${join(over, 'upper')},workdir=${join(over, 'work')}`;
  await must('mount', ['-t', 'overlay', 'overlay', '-o', layers, path]);
  return {
    path,
    remove: async () => {
      await must('umount', [path]);
      await rm(over, { recursive: true, force: true });
    },
  };
}

export type Fetched = { readonly packages: number; readonly bytes: number; readonly packageBytes: number };

/** What apt fetches for a package file beside it; it stays in the root, so that the installation needs no network. */
export async function fetchFor(root: Root, deb: string, more: readonly string[] = []): Promise<Fetched> {
  const inside = `/root/${basename(deb)}`;
  await copyFile(deb, join(root.path, inside));
  await inRoot(root.path, 'apt-get', 'install', '-y', '-q', '--download-only', inside, ...more);
  const cache = join(root.path, 'var/cache/apt/archives');
  const files = (await readdir(cache)).filter((name) => name.endsWith('.deb') && !name.startsWith('parley_'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(cache, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { packages: files.length, bytes, packageBytes: (await stat(deb)).size };
}
