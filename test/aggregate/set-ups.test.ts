// The set-ups of docs/operations/aggregating.md, run as they stand there: aggregators over mutual TLS, in this process, with stand-ins for
// the servers that they name. Only addresses, ports and folders are others.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { createAggregatorProcess, type RunningAggregator } from '#agent/create-aggregator.ts';
import { silentLog } from '#base/log.ts';
import { aggregateSchema } from '#config/aggregate-schema.ts';
import { ROOT } from '../../scripts/source-files.ts';
import { runParley } from '../agent/agent-bed.ts';
import { until } from '../fakes/clock.ts';
import { freePort } from '../free-port.ts';
import { createDomain } from '../mtls/domain.ts';

type Written = {
  readonly node: string;
  readonly leaves?: readonly { readonly segment: string; readonly tokenFile?: string }[];
  readonly parents?: readonly { readonly node: string; readonly segment: string }[];
};

const domain = await createDomain();
const running: RunningAggregator[] = [];
after(async () => {
  for (const each of running.toReversed()) await each.stop();
  await domain.remove();
});

await domain.identity('alice', { kind: 'operator', role: 'operator' });
await domain.identity('boss', { kind: 'operator', role: 'admin' });

async function writtenIn(setUp: string): Promise<readonly Written[]> {
  const page = await readFile(join(ROOT, 'docs/operations/aggregating.md'), 'utf8');
  const block = page.split('```yaml\n').find((each) => each.startsWith(`# set-up ${setUp}\n`));
  assert.ok(block !== undefined, `the page has no set-up ${setUp}`);
  return parseAllDocuments(block.split('\n```')[0]!).map((each) => each.toJS() as Written);
}

/** The root, and the way for `parley`. */
async function run(setUp: string): Promise<{ readonly root: RunningAggregator; way(who: string): string[] }> {
  const written = await writtenIn(setUp);
  const ports = new Map<string, number>();
  for (const { node } of written) ports.set(node, await freePort());
  const started: RunningAggregator[] = [];
  for (const config of written) {
    const { node, leaves = [], parents = [] } = config;
    await domain.identity(node);
    // As it is written it must be a configuration, too.
    aggregateSchema.parse(config);
    const here = aggregateSchema.parse({
      ...config,
      ...{ state: join(domain.dir, `${node}-state`), identity: { dir: join(domain.dir, node) } },
      listen: { host: '127.0.0.1', port: ports.get(node) },
      parents: parents.map((each) => ({ ...each, addresses: ['127.0.0.1'], port: ports.get(each.node) })),
      leaves: leaves.map(({ segment, ...rest }) => ({ ...rulesIn(rest), ...standIn(segment) })),
    });
    started.push(await createAggregatorProcess(here, silentLog));
  }
  running.push(...started);
  const port = ports.get(written[0]!.node);
  const way = (who: string) => ['--connect', `127.0.0.1:${port}`, '--identity', join(domain.dir, who)];
  return { root: started[0]!, way };
}

function standIn(segment: string) {
  const program = join(import.meta.dirname, 'stand-in-server.ts');
  return { segment, command: process.execPath, args: [program, segment] };
}

function rulesIn(leaf: Readonly<Record<string, unknown>>) {
  const rules = ['trust', 'unsaid', 'scope'].filter((name) => leaf[name] !== undefined);
  return Object.fromEntries(rules.map((name) => [name, leaf[name]]));
}

async function untilListed({ aggregator }: RunningAggregator, names: readonly string[]): Promise<void> {
  const { core } = aggregator;
  await until(() => names.every((name) => core.entries().tools.has(name)), names.join(', '), 60_000, 50);
}

test('set-up C.1: the servers of a company, one of them for reading only [AX-15]', async () => {
  const { root, way } = await run('C.1');
  await untilListed(root, ['google_drive.read', 'jira.read', 'salesforce.read']);
  const read = await runParley(['call', 'jira.read', '{}', ...way('alice'), '--json']);
  assert.ok(read.stdout.includes('jira acted 0 times'), read.stdout + read.stderr);
  const refused = await runParley(['call', 'google_drive.act', '{}', ...way('alice'), '--json']);
  assert.ok(refused.stdout.includes('google_drive is open for reading only'), refused.stdout + refused.stderr);
});

test('set-up C.2: an actuator behind an edge waits at the cloud for an admin [AX-16]', async () => {
  const { root, way } = await run('C.2');
  await untilListed(root, ['edge.plc.read', 'edge.sensors.read', 'edge.actuator.act']);
  const call = ['call', 'edge.actuator.act', '{}', ...way('alice'), '--json'];
  const waits = await runParley(call);
  assert.ok(waits.stdout.includes('confirmation_required') || waits.stdout.includes('caller/no-consent'), waits.stdout);
  const approvals = await runParley(['approvals', ...way('boss'), '--json']);
  const { pending } = JSON.parse(approvals.stdout) as { pending: readonly { id: string }[] };
  assert.equal(pending.length, 1, approvals.stdout);
  const approved = await runParley(['approve', pending[0]!.id, ...way('boss'), '--json']);
  assert.equal(approved.exitCode, 0, approved.stdout + approved.stderr);
  const done = await runParley(call);
  assert.ok(done.stdout.includes('actuator acted 1 times'), done.stdout + done.stderr);
});

test('set-up C.3: names tell the region, and a call goes there [AX-2] [AX-3]', async () => {
  const { root, way } = await run('C.3');
  const places = ['us.east', 'us.west', 'eu.east', 'eu.west'];
  await untilListed(
    root,
    places.map((place) => `${place}.files.read`),
  );
  const called = await runParley(['call', 'eu.west.files.read', '{}', ...way('alice'), '--json']);
  assert.ok(called.stdout.includes('files acted 0 times'), called.stdout + called.stderr);
  const tree = await runParley(['aggregate', 'tree', ...way('alice'), '--json']);
  const { below } = (JSON.parse(tree.stdout) as { tree: { below: readonly { segment: string; node: string }[] } }).tree;
  assert.deepEqual(
    below.map(({ segment, node }) => [segment, node]),
    [
      ['eu', 'eu'],
      ['us', 'us'],
    ],
  );
});
