// The memory of days of a real node in a namespace of its own: what was changed while its agent ran, while it was stopped, and while it had
// been killed, is told by the next one, with the time in which it was.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import type { SettingChange } from '#model/router/setting-history.ts';
import { until } from '../fakes/clock.ts';
import { HANG_MS } from '../until-written.ts';

const NAMESPACE = `dm-${randomBytes(2).toString('hex')}`;
const HOST = join(import.meta.dirname, 'day-memory-host.ts');
const parent = mkdtempSync(join(tmpdir(), `${NAMESPACE}-`));
const dir = join(parent, 'memory');

const children = new Set<ReturnType<typeof spawn>>();

const ip = (args: readonly string[]) => execFileSync('ip', args, { encoding: 'utf8' });
const inside = (line: string) => ip(['-n', NAMESPACE, ...line.split(' ')]);

before(() => {
  ip(['netns', 'add', NAMESPACE]);
  for (const line of [
    'link set lo up',
    'link add eth1 type veth peer name eth2',
    'link set eth1 up',
    'link set eth2 up',
    'address add 198.18.0.1/24 dev eth1',
  ])
    inside(line);
});
after(() => {
  for (const child of children) child.kill('SIGKILL');
  ip(['netns', 'del', NAMESPACE]);
  rmSync(parent, { recursive: true, force: true });
});

/** An agent's driver. There is no helper: what it would read is not known, and no change. */
async function startNode() {
  const run = [process.execPath, '--conditions=parley-source', HOST, dir, join(parent, 'none')];
  const child = spawn('ip', ['netns', 'exec', NAMESPACE, ...run], { stdio: ['pipe', 'pipe', 'inherit'] });
  const told = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  assert.equal((await told.next()).value, 'ready');
  const look = async () => {
    child.stdin.write('\n');
    return JSON.parse(String((await told.next()).value)) as readonly [spanMs: number, readonly SettingChange[]];
  };
  children.add(child);
  /** The changes, as soon as one of this kind has led to this value. */
  const remembered = async (kind: SettingChange['kind'], is: string) => {
    let changes: readonly SettingChange[] = [];
    const isThere = async () => {
      [, changes] = await look();
      return changes.some((change) => change.kind === kind && change.is === is);
    };
    await until(isThere, `${kind} ${is} to be remembered`, HANG_MS, 200);
    return changes;
  };
  await until(async () => (await look())[0] > 0, 'the first reading', HANG_MS, 200);
  return {
    remembered,
    async stop() {
      child.stdin.end();
      assert.equal(await ended, 0);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const wordsOf = ({ kind, subject, was, is }: SettingChange) => [kind, subject, was, is].join(' ');

test('changes are remembered over a stop and a kill, those between included', { timeout: 120_000 }, async () => {
  const first = await startNode();
  inside('link set eth1 mtu 1400');
  await first.remembered('mtu', '1400');
  await first.stop();
  assert.equal(statSync(dir).mode & 0o777, 0o700);

  inside('link set eth1 mtu 1300');
  inside('route add blackhole 203.0.113.0/24');
  const second = await startNode();
  const changes = await second.remembered('static-route', 'blackhole');
  assert.deepEqual(changes.map(wordsOf).sort(), [
    'agent r1 running stopped',
    'agent r1 stopped started',
    'agent r1 stopped started',
    'mtu eth1 1400 1300',
    'mtu eth1 1500 1400',
    'static-route 203.0.113.0/24  blackhole',
  ]);
  const [agoMs, stoppedMs] = ['1300', 'stopped'].map((is) => changes.find((change) => change.is === is)!.agoMs);
  assert.ok(agoMs! <= stoppedMs!);
  inside('link set eth1 down');
  await second.remembered('admin', 'shut');
  await second.kill();

  const third = await startNode();
  const afterKill = await third.remembered('admin', 'shut');
  // It was killed within its first minute: the next one finds the same changes, since the stop of the one before.
  assert.equal(afterKill.filter(({ kind, is }) => kind === 'mtu' && is === '1300').length, 1);
  assert.equal(afterKill.filter(({ kind }) => kind === 'admin').length, 1);
  await third.stop();
  const [segment] = readdirSync(dir);
  assert.match(
    readFileSync(join(dir, segment!), 'utf8').split('\n')[0]!,
    /^[0-9a-f]{8} \{"parley":"memory","version":1,/,
  );
});
