// What is compiled for one kind of machine: Node, and koffi, which calls the C library. For this machine they are in node_modules; for another
// npm fetches them by name and version, and their digest must be the one that is written down.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ParleyError } from '#base/error.ts';
import { ROOT } from '../source-files.ts';
import { step } from './step.ts';

/** Debian's name of each kind of machine that there is a package for. */
export const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' } as const;
export type Architecture = keyof typeof ARCHITECTURES;

export type Native = { readonly node: string; readonly koffi: string; readonly koffiName: string };

/** Of the Node version in package.json, as the npm registry states it. */
const NODE_INTEGRITY: Readonly<Record<Architecture, string>> = {
  amd64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};

export function ownArchitecture(): Architecture {
  const found = Object.entries(ARCHITECTURES).find(([, name]) => name === process.arch);
  if (found !== undefined) return found[0] as Architecture;
  throw new ParleyError(
    'us/package',
    `expected an ${Object.keys(ARCHITECTURES).join(' or ')} machine, got ${process.arch}`,
  );
}

/** Rejects with `us/package` where something is missing or is not what was written down. */
export async function nativeOf(architecture: Architecture, scratch: string): Promise<Native> {
  const koffiName = `@koromix/koffi-linux-${ARCHITECTURES[architecture]}`;
  if (architecture === ownArchitecture()) {
    const node = join(ROOT, 'node_modules/node/bin/node');
    if (!existsSync(node))
      throw new ParleyError(
        'us/package',
        `expected ${relative(ROOT, node)}, which an install script brings: npm rebuild node`,
      );
    return { node, koffi: join(ROOT, 'node_modules', koffiName), koffiName };
  }
  const { devDependencies } = await jsonOf<{ devDependencies: Record<string, string> }>('package.json');
  const { packages } = await jsonOf<{ packages: Record<string, { version: string; integrity: string }> }>(
    'package-lock.json',
  );
  const koffi = packages[`node_modules/${koffiName}`]!;
  const nodeName = `node-linux-${ARCHITECTURES[architecture]}`;
  const fetched = {
    node: await fetchPackage(scratch, nodeName, devDependencies['node']!, NODE_INTEGRITY[architecture]),
    koffi: await fetchPackage(scratch, koffiName, koffi.version, koffi.integrity),
  };
  return { node: join(fetched.node, 'bin/node'), koffi: fetched.koffi, koffiName };
}

/** Folder with the package's files. */
async function fetchPackage(scratch: string, name: string, version: string, integrity: string): Promise<string> {
  const folder = join(scratch, name);
  await mkdir(folder, { recursive: true });
  const packed = await step('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const file = join(folder, filename);
  const digest = `sha512-${createHash('sha512')
    .update(await readFile(file))
    .digest('base64')}`;
  if (digest !== integrity)
    throw new ParleyError('us/package', `expected ${name} ${version} to have the digest ${integrity}, got ${digest}`);
  await step('tar', ['-xzf', file, '-C', folder]);
  return join(folder, 'package');
}

async function jsonOf<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(join(ROOT, name), 'utf8')) as T;
}
