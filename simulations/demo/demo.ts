// `npm run demo`: the main job end to end. Real routers in network namespaces where that is possible (root, Linux), else the same agents over the
// embedded network; says which. Exit code 0 only if every finding equals what was injected and every report verifies.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#base/error.ts';
import { REPOSITORY } from '../lab/node-processes.ts';
import { tryRun } from '../lab/shell.ts';
import { ACTS } from './acts.ts';
import { type Played, playAct } from './play.ts';
import type { Stage } from './stage.ts';

const SCHEMA_VERSION = 1;
const say = (line: string) => void process.stderr.write(`${line}\n`);

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean' }, yes: { type: 'boolean' }, embedded: { type: 'boolean' } },
});
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => ended.abort(new Error(`ended by ${signal}`)));

process.exitCode = await demo().catch((error: unknown) => {
  say(`demo: ${messageOf(error)}`);
  if (flags.json) print({ ok: false, error: messageOf(error) });
  return 1;
});

async function demo(): Promise<number> {
  const started = performance.now();
  const reportFolder = join(REPOSITORY, 'var/demo');
  await mkdir(reportFolder, { recursive: true });
  const stage = await openStage(reportFolder);
  const played: Played[] = [];
  let tls: Awaited<ReturnType<Stage['tls']>>;
  try {
    say(`\n${stage.description}`);
    for (const act of ACTS) {
      ended.signal.throwIfAborted();
      say(`\n== ${act.title}`);
      played.push(await playAct(stage, act, say));
      tellAct(played.at(-1)!);
    }
    tls = await stage.tls();
  } finally {
    await stage.down();
  }
  const onlyTls13 = tls === undefined || (tls.plainText === 0 && Object.keys(tls.versions).join() === '1.3');
  const ok = played.every((act) => act.right) && onlyTls13;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  tellEnd(stage, tls, ok, seconds);
  const { kind: network, namespaces } = stage;
  if (flags.json) print({ ok, network, namespaces, seconds, acts: played, tls: tls ?? null });
  return ok ? 0 : 1;
}

async function openStage(reportFolder: string): Promise<Stage> {
  const obstacle = flags.embedded ? 'asked for with --embedded' : await whyNoNamespaces();
  if (obstacle === undefined) {
    const { ensurePackages } = await import('../../scripts/install-packages.ts');
    await ensurePackages({ yes: flags.yes ?? false, say });
    const { openNetworkStage } = await import('./network-stage.ts');
    return openNetworkStage({ reportFolder, say, signal: ended.signal });
  }
  say(`no real routers: ${obstacle}. The same agents run over the embedded network.`);
  const { openEmbeddedStage } = await import('./embedded-stage.ts');
  return openEmbeddedStage({ reportFolder, say, signal: ended.signal });
}

async function whyNoNamespaces(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, network namespaces are Linux's`;
  if (process.getuid?.() !== 0) return 'this is not root';
  const tried = await tryRun('unshare', ['--net', 'true'], { timeoutMs: 5_000 });
  return tried.exitCode === 0 ? undefined : `network namespaces are not allowed here (${tried.stderr.trim()})`;
}

function tellAct(act: Played): void {
  say('');
  say(`  ${act.sentence}`);
  if (act.verdict === 'healthy') for (const reason of act.reasons) say(`  proof     ${reason}`);
  for (const finding of act.found) say(`  finding   ${finding.resource}  ${finding.fault}`);
  say(
    `  verdict   ${act.verdict}; injected: ${act.injected.map((pair) => `${pair.resource} ${pair.fault}`).join(', ') || 'nothing'}`,
  );
  say(`  report    ${act.reportFile}`);
  say(
    `  verify    ${act.reportVerifies ? 'every signature holds' : 'DOES NOT VERIFY'}; a copy with one byte changed ${act.tamperedFails ? 'is refused' : 'IS ACCEPTED'}`,
  );
  for (const problem of act.problems) say(`  WRONG     ${problem}`);
}

function tellEnd(stage: Stage, tls: Awaited<ReturnType<Stage['tls']>>, ok: boolean, seconds: number): void {
  say('');
  if (tls)
    say(
      `port 9514: ${Object.entries(tls.versions)
        .map(([version, count]) => `${count} handshakes TLS ${version}`)
        .join(', ')}, ${tls.underWay} sessions older than the capture, ${tls.plainText} in plain text`,
    );
  say(`${ok ? 'all findings equal what was injected, all reports verify' : 'NOT everything was right'} (${seconds} s)`);
  say(`verify again: npm run parley -- report verify ${join(stage.reportFolder, 'loss.json')} --ca ${stage.caFile}`);
}

function print(value: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...value })}\n`);
}
