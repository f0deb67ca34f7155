// An upgrade under load: a machine with the older package that answers questions all the time, beside one with this package.

import { copyFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { askUntilHealthy, type Machine } from './machine.ts';
import { must, type Root } from './roots.ts';

const UP_MS = 60_000;

/** How the older package is set up: by hand, as its README says. */
export async function installOlder(
  machine: Machine,
  root: Root,
  deb: string,
  registrar: string,
  code: string,
): Promise<void> {
  await copyFile(deb, `${root.path}/root/${basename(deb)}`);
  await machine.must('apt-get', 'install', '-y', '-q', '--no-install-recommends', `/root/${basename(deb)}`, 'lldpd');
  await machine.must('parley', 'enrol', '--node', machine.name, '--registrar', registrar, '--code', code);
  const text = `node: ${machine.name}\\ndomain: bench.example\\n`;
  await machine.must('sh', '-c', `printf '${text}' > /etc/parley/parley.yaml; chgrp -R parley /etc/parley/parley.yaml`);
  await machine.must('systemctl', 'enable', '--now', 'parley-helper', 'parley-agent');
  await untilUp(machine);
}

/** Questions one after the other until `over`; the ids of the reports that were said to be kept, and when answers were lacking. */
async function load(machine: Machine, over: AbortSignal) {
  const kept: string[] = [];
  let failed = 0;
  while (!over.aborted) {
    const ended = await machine.try('parley', 'ask', 'What is wrong?', '--json');
    const line = ended.stdout.trim().split('\n').at(-1) ?? '';
    const answer = line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : {};
    if (typeof answer['id'] === 'string' && answer['notStored'] === undefined) kept.push(answer['id']);
    else {
      failed += 1;
      await setTimeout(200);
    }
  }
  return { kept, failed };
}

export async function upgradeUnderLoad(machine: Machine, root: Root, deb: string) {
  const over = new AbortController();
  const loads = [load(machine, over.signal), load(machine, over.signal)];
  await setTimeout(8_000);
  const begunMs = performance.now();
  await copyFile(deb, `${root.path}/root/${basename(deb)}`);
  await machine.must('apt-get', 'install', '-y', '-q', '--no-install-recommends', `/root/${basename(deb)}`);
  const installSeconds = secondsSince(begunMs);
  await untilUp(machine);
  const upSeconds = secondsSince(begunMs);
  await setTimeout(5_000);
  over.abort();
  const ended = await Promise.all(loads);
  const kept = ended.flatMap((each) => each.kept);
  const reads = await Promise.all(kept.map((id) => machine.try('parley', 'report', 'show', id, '--json')));
  const lost = kept.filter((_, index) => !reads[index]!.stdout.includes(kept[index]!));
  const healthy = await askUntilHealthy(machine, UP_MS);
  const active = (await machine.try('systemctl', 'is-active', 'parley-helper', 'parley-agent')).stdout.trim();
  return {
    reportsKept: kept.length,
    reportsLost: lost.length,
    questionsWithoutAnswer: ended.reduce((sum, { failed }) => sum + failed, 0),
    ...{ installSeconds, upSeconds, verdictAfter: healthy.verdict, active: active.split('\n') },
  };
}

/** The package again under another version number, as an older or newer one. */
export async function repack(deb: string, version: string, folder: string): Promise<string> {
  const tree = `${folder}/repack`;
  const out = `${folder}/parley_${version}_${basename(deb).split('_').at(-1)}`;
  await must('rm', ['-rf', tree]);
  await must('dpkg-deb', ['-R', deb, tree]);
  await must('sed', ['-i', `s/^Version: .*/Version: ${version}/`, `${tree}/DEBIAN/control`]);
  await must('dpkg-deb', ['--root-owner-group', '-Zxz', '-z0', '--build', tree, out]);
  await must('rm', ['-rf', tree]);
  return out;
}

/** What the machine says to a package that is older than the one it has: exit code and last words. */
export async function downgrade(machine: Machine, root: Root, newer: string, older: string) {
  for (const deb of [newer, older]) await copyFile(deb, `${root.path}/root/${basename(deb)}`);
  await machine.must('dpkg', '-i', `/root/${basename(newer)}`);
  await untilUp(machine);
  const refused = await machine.try('dpkg', '-i', `/root/${basename(older)}`);
  const reason = `${refused.stdout}${refused.stderr}`.split('\n').find((line) => line.includes('is older than'));
  await untilUp(machine);
  const version = (await machine.must('dpkg-query', '-W', '-f', `\${Version}`, 'parley')).trim();
  return { exitCode: refused.exitCode, reason, versionAfter: version, agentUp: true };
}

/** What a purge leaves: files, users, groups and units with the name. */
export async function purge(machine: Machine): Promise<readonly string[]> {
  await machine.must('dpkg', '-P', 'parley');
  const ways = [
    "find / -xdev -iname '*parley*' -not -path '/proc/*' -not -path '/sys/*' -not -path '/root/*' -not -path '/var/cache/apt/*'",
    'getent passwd | grep parley',
    'getent group | grep parley',
    "systemctl list-unit-files --no-legend 'parley*'",
  ];
  const found = await Promise.all(ways.map((way) => machine.try('sh', '-c', way)));
  return found.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''));
}

export async function untilUp(machine: Machine): Promise<void> {
  const endMs = performance.now() + UP_MS;
  for (;;) {
    const ended = await machine.try('parley', 'peers', '--json');
    if (ended.exitCode === 0) return;
    if (performance.now() > endMs)
      throw new Error(`${machine.name}: the agent does not answer: ${ended.stderr.slice(-300)}`);
    await setTimeout(200);
  }
}

export function secondsSince(begunMs: number): number {
  return Math.round((performance.now() - begunMs) / 100) / 10;
}
