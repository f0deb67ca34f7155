// `parley history`: what an operator types becomes one question, and what is remembered is shown with its times.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { segmentsOf } from '../../bench/past/days.ts';
import { historyQuestion } from '../../src/cli/commands/history.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';
import { until } from '../fakes/clock.ts';

/** Exit code where evidence is incomplete. */
const INCOMPLETE = 3;

let bed: AgentBed;
before(async () => {
  bed = await upAgents(['pe1', 'p2']);
});
after(() => bed?.down());

test('a node, its interface, a link, a session and a prefix are told apart', () => {
  const of = (...words: string[]) => historyQuestion(words);
  assert.deepEqual(of(), { kind: 'history', nodes: [] });
  for (const words of [['p2', 'eth1'], ['eth1@p2'], ['p2:eth1']])
    assert.deepEqual(of(...words), { kind: 'history', nodes: ['p2'], ifname: 'eth1' });
  assert.deepEqual(of('pe1--p2'), { kind: 'history', nodes: ['pe1', 'p2'], link: 'yes' });
  assert.deepEqual(of('pe1:eth1--p2:eth2'), { kind: 'history', nodes: ['pe1', 'p2'], ifname: 'eth1', link: 'yes' });
  assert.deepEqual(of('p2', '192.0.2.1'), { kind: 'history', nodes: ['p2'], neighbour: '192.0.2.1' });
  assert.deepEqual(of('198.51.100.0/24'), { kind: 'history', nodes: [], destination: '198.51.100.0/24' });
  assert.throws(() => of('p2', 'eth1', 'eth2'), { code: 'caller/usage' });
});

test('a time is a duration or the name of one', () => {
  assert.equal(historyQuestion([], { since: '12h' })['since'], '12h');
  assert.equal(historyQuestion([], { since: 'last night' })['when'], 'last night');
});

test('what two nodes remember is one list with times, and what one lacks is said', async () => {
  const nowMs = Date.now();
  const fellMs = nowMs - 5 * 3_600_000;
  const incidents = [{ kind: 'carrier', ends: { pe1: 'eth1', p2: 'eth1' }, atMs: fellMs, minutes: 4 } as const];
  for (const node of ['pe1', 'p2'] as const) {
    const dir = join(dirname(bed.configOf(node)), 'state', 'memory');
    mkdirSync(dir, { recursive: true });
    for (const [name, text] of segmentsOf({ node, incidents, seed: 7, untilMs: nowMs, days: 1 }))
      writeFileSync(join(dir, name), text);
  }
  const asked = ['history', 'pe1--p2', '--since', '6h', '--socket', bed.socketOf('pe1')];
  let told = await runParley([...asked, '--json']);
  // On a busy machine a node may not answer in time: then it is asked again. What fails stays failed.
  await until(async () => {
    if (told.exitCode !== INCOMPLETE) return true;
    told = await runParley([...asked, '--json']);
    return false;
  }, 'both nodes answer');
  assert.equal(told.exitCode, 0, told.stdout + told.stderr);
  const { table } = JSON.parse(told.stdout);
  const carriers = table.rows.filter((cells: readonly string[]) => cells[2] === 'carrier of eth1');
  assert.deepEqual(carriers.map(([, node, , was, is]: readonly string[]) => `${node} ${was} ${is}`).sort(), [
    'p2 down up',
    'p2 up down',
    'pe1 down up',
    'pe1 up down',
  ]);
  const said = await runParley(asked);
  assert.equal(said.exitCode, 0, said.stdout);
  assert.match(said.stdout, /^\w{3} \d{1,2} \w{3} \d\d:\d\d:\d\d +pe1 +carrier of eth1 +up +down$/m);
  const longer = await runParley(['history', 'p2', '--since', '3d', '--socket', bed.socketOf('pe1')]);
  assert.equal(longer.exitCode, INCOMPLETE);
  assert.match(longer.stdout, /^not known +p2 remembers only the last 24 h$/m);
});
