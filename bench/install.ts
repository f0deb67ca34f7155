// `npm run bench -- install [--deb FILE] [--previous COMMIT]`: two Debian machines that systemd boots in containers, from nothing to the first healthy answer with
// two commands each; then a certificate that is replaced, a daemon that is away, an older version beside this one, its upgrade under load, a refused
// downgrade and a purge. Needs root, debootstrap and systemd-nspawn, fetches from Debian's mirror, and keeps its base root in var/bench/install.
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ParleyError } from '#base/error.ts';
import { ensurePackages, INSTALL_PACKAGES } from '../scripts/install-packages.ts';
import { buildPackage } from '../scripts/package.ts';
import { ROOT } from '../scripts/source-files.ts';
import { askUntilHealthy, boot, cable, type Machine } from './install/machine.ts';
import { previousPackage } from './install/previous.ts';
import { baseRoot, copyOf, type Fetched, fetchFor, type Root } from './install/roots.ts';
import { downgrade, installOlder, purge, repack, secondsSince, untilUp, upgradeUnderLoad } from './install/upgrade.ts';
import type { Benchmark } from './main.ts';

/** The last commit before this version. */
const PREVIOUS = '33cba9e4';
const NETWORK = '198.18.7.';
const OTHER_NETWORK = '198.18.8.';
const HEALTHY_MS = 60_000;
const QUIET_MS = 20_000;

type Place = { readonly machine: Machine; readonly root: Root; readonly fetched: Fetched };

export const bench: Benchmark = async (args, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: { deb: { type: 'string' }, previous: { type: 'string', default: PREVIOUS }, json: { type: 'boolean' } },
  });
  const ensured = await ensurePackages({ packages: INSTALL_PACKAGES, yes: true, say });
  if (!ensured.ok) throw new ParleyError('us/bench', ensured.reason);
  const folder = join(ROOT, 'var/bench/install');
  await mkdir(folder, { recursive: true });
  const base = await baseRoot(folder, say);
  const deb = values.deb ?? (await buildPackage({ out: folder, say })).file;
  const older = await previousPackage(folder, values.previous, say);
  const undo: (() => Promise<void>)[] = [];
  try {
    const place = async (name: string, file: string, more: readonly string[] = []): Promise<Place> => {
      const root = await copyOf(base, folder, name);
      undo.unshift(root.remove);
      await writeFile(join(root.path, 'etc/hostname'), `${name}\n`);
      const fetched = await fetchFor(root, file, more);
      const machine = await boot(name, root.path);
      undo.unshift(machine.stop);
      return { machine, root, fetched };
    };
    return await measure(place, { deb, older, folder }, say);
  } finally {
    for (const each of undo) await each();
  }
};

type Files = { readonly deb: string; readonly older: string; readonly folder: string };

async function measure(
  place: (name: string, file: string, more?: readonly string[]) => Promise<Place>,
  { deb, older, folder }: Files,
  say: (line: string) => void,
) {
  const one = await place('pe1', deb);
  const two = await place('p2', deb);
  const ends = (other: Machine, ifname: string) =>
    [
      { machine: one.machine, ifname },
      { machine: other, ifname: 'eth1' },
    ] as const;
  await cable(ends(two.machine, 'eth1'), NETWORK);
  say('pe1: apt install, parley setup --trial');
  // One node alone has nothing to measure between two nodes, and says so.
  const first = await twoCommands(one.machine, deb, ['--trial', '--domain', 'bench.example'], 0);
  say('p2: apt install, parley setup --registrar');
  const code = await codeFor(one.machine, 'p2');
  const second = await twoCommands(two.machine, deb, ['--registrar', `${NETWORK}0`, '--code', code]);
  say('again: parley setup');
  const again = await one.machine.json('parley', 'setup', '--json', '--no-ask');
  const replaced = await replaceCertificate(one.machine);
  say('pe1: lldpd is away');
  const logged = await awayDaemon(one.machine);
  say('old: the package of before, beside pe1');
  const three = await place('old', older, ['lldpd']);
  await cable(ends(three.machine, 'eth2'), OTHER_NETWORK);
  await installOlder(three.machine, three.root, older, `${OTHER_NETWORK}0`, await codeFor(one.machine, 'old'));
  const together = await askUntilHealthy(one.machine, HEALTHY_MS);
  const versionsBefore = await versionsOf(one.machine);
  say('old: upgrade under load');
  const upgrade = await upgradeUnderLoad(three.machine, three.root, deb);
  await askUntilHealthy(one.machine, HEALTHY_MS);
  const versionsAfter = await versionsOf(one.machine);
  say('old: a newer version, and back');
  const newer = await repack(deb, '9.0.0', folder);
  const refused = await downgrade(three.machine, three.root, newer, deb);
  say('p2: purge');
  const left = await purge(two.machine);
  return {
    roots: 'debootstrap, booted with systemd-nspawn',
    first: { ...first, fetched: one.fetched },
    second,
    again: again['steps'],
    certificateReplaced: replaced,
    linesWhileLldpdWasAway: logged,
    purgeLeft: left,
    mixed: { ...together, versions: versionsBefore },
    ...{ upgrade, versionsAfter, downgrade: refused },
  };
}

/** Seconds from nothing, with what was fetched before, to the first answer and to the first healthy one. */
async function twoCommands(machine: Machine, deb: string, setup: readonly string[], healthyMs = HEALTHY_MS) {
  const begunMs = performance.now();
  await machine.must('apt-get', 'install', '-y', '-q', `/root/${basename(deb)}`);
  const installSeconds = secondsSince(begunMs);
  const made = await machine.json('parley', 'setup', '--json', ...setup);
  const answerSeconds = secondsSince(begunMs);
  const answer = made['answer'] as { verdict?: { kind: string }; sentence?: string } | undefined;
  if (answer === undefined) throw new ParleyError('us/bench', `${machine.name}: ${JSON.stringify(made).slice(0, 600)}`);
  const isHealthy = answer.verdict?.kind === 'healthy';
  const later = isHealthy || healthyMs === 0 ? undefined : await askUntilHealthy(machine, healthyMs);
  return {
    installSeconds,
    answerSeconds,
    firstVerdict: answer.verdict?.kind,
    firstSentence: answer.sentence,
    ...(isHealthy || later?.verdict === 'healthy'
      ? { healthySeconds: isHealthy ? answerSeconds : secondsSince(begunMs) }
      : {}),
    ...(later === undefined ? {} : { verdict: later.verdict, sentence: later.sentence, questions: later.questions }),
    doctor: (made['doctor'] as { ok?: boolean }).ok,
  };
}

async function codeFor(machine: Machine, node: string): Promise<string> {
  const made = await machine.json('parley', 'registrar', 'code', '--node', node, '--json');
  return (made['codes'] as readonly { code: string }[])[0]!.code;
}

/** Seconds until the agent that runs shows the new certificate. */
async function replaceCertificate(machine: Machine) {
  const pid = await machine.must('systemctl', 'show', '-p', 'MainPID', '--value', 'parley-agent');
  const issue = [
    'ca',
    'issue',
    machine.name,
    '--renew',
    '--dir',
    '/etc/parley/trial-ca',
    '--out',
    '/etc/parley/identity',
  ];
  const { thumbprint } = await machine.json('parley', ...issue, '--json');
  const begunMs = performance.now();
  let shown: unknown;
  while (shown !== thumbprint && performance.now() - begunMs < HEALTHY_MS) {
    shown = (await machine.json('parley', 'identity', '--json'))['certificate'];
    await setTimeout(100);
  }
  const pidAfter = await machine.must('systemctl', 'show', '-p', 'MainPID', '--value', 'parley-agent');
  return { taken: shown === thumbprint, seconds: secondsSince(begunMs), sameProcess: pid === pidAfter };
}

/** Lines of both services while lldpd is away, and once it is back. */
async function awayDaemon(machine: Machine) {
  const lines = async () => {
    const text = await machine.must(
      'journalctl',
      '-u',
      'parley-agent',
      '-u',
      'parley-helper',
      '-o',
      'cat',
      '--no-pager',
    );
    return text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { message: string });
  };
  const before = (await lines()).length;
  await machine.must('systemctl', 'stop', 'lldpd');
  await setTimeout(QUIET_MS);
  const away = (await lines()).slice(before);
  await machine.must('systemctl', 'start', 'lldpd');
  await setTimeout(QUIET_MS);
  const back = (await lines()).slice(before + away.length);
  await untilUp(machine);
  const messages = (found: readonly { message: string }[]) => found.map(({ message }) => message);
  return { seconds: QUIET_MS / 1_000, away: messages(away), back: messages(back) };
}

async function versionsOf(machine: Machine) {
  const { version, peers } = await machine.json('parley', 'peers', '--json');
  const rows = (peers ?? []) as readonly { node: string; version?: string }[];
  return { own: version, peers: Object.fromEntries(rows.map((row) => [row.node, row.version ?? 'not known'])) };
}
