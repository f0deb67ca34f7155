// What is meant, said once, on real routers: a fault is injected, allowed on the router that it is about, and another router's answer is
// healthy and says so; after the removal it is accused again. A route that must be there and is not is accused at its router. Needs root.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeNetwork } from '../../simulations/generate/files.ts';
import { networkOf } from '../../simulations/generate/sizes.ts';
import { askNode } from '../../simulations/lab/ask.ts';
import { inject } from '../../simulations/lab/injection.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { CONTROL_SOCKET } from '../../simulations/lab/node-files.ts';
import { runInNode } from '../../simulations/lab/node-processes.ts';
import { parseInjection } from '../../simulations/lab/scenario.ts';
import { until } from '../fakes/clock.ts';

const QUESTION = 'What is wrong?';
const ASKED = 'spine1';
const dir = mkdtempSync(join(tmpdir(), 'ex-labs-'));
const network = networkOf('leaf-spine-xs');
const port = network.routers.find(({ name }) => name === 'leaf1')!.core[0]!;
const RESOURCE = `interface/leaf1/${port.ifname}`;
let lab: RunningLab;

before(async () => {
  const topologyFile = await writeNetwork(network, dir);
  const prefix = `ex-${randomBytes(2).toString('hex')}-`;
  // With configuration helpers, the local socket of a node is an admin's.
  lab = await upLab({ topologyFile, name: 'expectations', prefix, dir, seed: 11, configuration: true });
  await until(async () => (await ask()).verdict === 'healthy', 'a healthy network');
});
after(async () => {
  await lab?.down();
  rmSync(dir, { recursive: true, force: true });
});

const node = (name: string) => lab.record.nodes.find((entry) => entry.name === name)!;
const ask = () => askNode(node(ASKED), lab.record, QUESTION);
const named = ({ findings }: Awaited<ReturnType<typeof ask>>) =>
  findings.map((each) => `${each.fault} ${each.resource}`);

async function parley(name: string, ...words: readonly string[]) {
  const program = ['node', '--conditions=parley-source', '/opt/parley/src/main.ts'];
  const ended = await runInNode(node(name), [...program, ...words, '--json', '--socket', CONTROL_SOCKET], {
    timeoutMs: 30_000,
  });
  assert.equal(ended.exitCode, 0, `${ended.stdout}${ended.stderr}`);
  return JSON.parse(ended.stdout) as Readonly<Record<string, unknown>>;
}

test('an injected fault that is allowed on its router is no finding of another, until the line is removed', async () => {
  const problems: string[] = [];
  const injection = parseInjection(
    { fault: 'mtu_mismatch', at: `leaf1:${port.ifname}`, mtu: 1_500 },
    'inject',
    problems,
  );
  assert.deepEqual(problems, []);
  const injected = await inject(lab.record, [injection!]);
  assert.deepEqual(await injected.problems(), []);
  assert.deepEqual(named(await ask()), [`mtu_mismatch ${RESOURCE}`]);

  const fault = 'mtu_mismatch';
  const line = ['--fault', fault, '--resource', RESOURCE, '--reason', 'a radio', '--owner', 'netops', '--until', '1h'];
  await parley('leaf1', 'allow', ...line);
  const quiet = await ask();
  const { silenced, verdict } = quiet.printed as {
    readonly silenced: readonly { readonly node: string; readonly fault: string; readonly text: string }[];
    readonly verdict: { readonly reasons: readonly string[] };
  };
  assert.deepEqual([quiet.verdict, named(quiet)], ['healthy', []], verdict.reasons.join('\n'));
  assert.deepEqual(
    silenced.map((each) => [each.node, each.fault]),
    [['leaf1', fault]],
  );
  assert.match(silenced[0]!.text, /: allowed by netops until .*: a radio \(expectations of leaf1\)$/);

  await parley('leaf1', 'allow', `${fault}@${RESOURCE}`, '--remove');
  assert.deepEqual(named(await ask()), [`mtu_mismatch ${RESOURCE}`]);
  await injected.undo();
});

test('routes that must be there are looked up, and accused where they are not', async () => {
  const [there] = network.routers.find(({ name }) => name === 'leaf1')!.hosts;
  const text = [
    'expect:',
    `  - { route: ${there!.prefix4}, at: leaf2 }`,
    '  - { route: 198.18.77.0/24, at: leaf2, owner: netops, reason: the new site }',
  ].join('\n');
  const file = '/root/expectations.yaml';
  assert.equal((await runInNode(node(ASKED), ['bash', '-c', `printf '%s\\n' '${text}' > ${file}`])).exitCode, 0);
  await parley(ASKED, 'expectations', 'save', file);
  const answer = await ask();
  assert.deepEqual(named(answer), ['expectation_unmet node/leaf2']);
  const { sentence } = answer.printed as { readonly sentence: string };
  assert.match(sentence, /a route for 198\.18\.77\.0\/24 at leaf2 is expected by netops \(the new site\): it has none/);
  await parley(ASKED, 'expectations', 'clear');
  assert.equal((await ask()).verdict, 'healthy');
});
