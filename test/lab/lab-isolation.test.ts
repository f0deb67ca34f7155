// The lab must not help: an agent can look at nothing but its own node. Checked as the agent's user inside a node, and from the outside on the
// processes that really run.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { processesIn } from '../../simulations/lab/namespaces.ts';
import { type RunningLab, upLab } from '../../simulations/lab/network-lab.ts';
import { REPOSITORY, runInNode } from '../../simulations/lab/node-processes.ts';
import { prepareStandIn } from './stand-in.ts';

const standIn = prepareStandIn('isolation');
let lab: RunningLab;

before(async () => {
  lab = await upLab(standIn.options);
});
after(async () => {
  await lab?.down();
  standIn.remove();
});

async function asAgent(script: string) {
  return runInNode(lab.record.nodes[0]!, ['bash', '-c', script], { asAgent: true });
}

async function outputOf(script: string): Promise<string> {
  return (await asAgent(script)).stdout.trim();
}

test('an agent runs as an unprivileged user of its own, with the groups of the two helpers’ sockets alone, and no capability [CARD-10]', async () => {
  const pids = await processesIn(lab.record.nodes[0]!.namespace);
  const status = pids
    .map((pid) => ({
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
      text: readFileSync(`/proc/${pid}/status`, 'utf8'),
    }))
    .find(({ command }) => command.includes('control.sock'))!.text;
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(status)?.[1];
  assert.equal(field('Uid'), '61001\t61001\t61001\t61001');
  assert.equal(field('Groups'), '81001 91001');
  assert.deepEqual(['CapInh', 'CapPrm', 'CapEff', 'CapBnd'].map(field), Array(4).fill('0000000000000000'));
  assert.equal(field('NoNewPrivs'), '1');
});

test('the helper is a user of its own with two network capabilities', async () => {
  const pids = await processesIn(lab.record.nodes[0]!.namespace);
  const status = pids
    .map((pid) => ({
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
      text: readFileSync(`/proc/${pid}/status`, 'utf8'),
    }))
    .find(({ command }) => command.includes('helper.sock'))!.text;
  assert.match(status, /^Uid:\t71001\t71001\t71001\t71001$/m);
  // CAP_NET_ADMIN (12), CAP_NET_RAW (13).
  assert.match(status, /^CapBnd:\t0000000000003000$/m);
});

test('a node has no /run/netns, no lab folder, no scenario and no home of this machine', async () => {
  const paths = [
    '/run/netns',
    '/var/run/netns',
    '/var/lib/parley-lab',
    standIn.dir,
    '/opt/parley/simulations',
    '/opt/parley/test',
    '/home',
    '/work',
    '/old',
  ];
  assert.equal(await outputOf(`for path in ${paths.join(' ')}; do [ ! -e $path ] || echo $path; done`), '');
  assert.equal(await outputOf('ip netns list'), '');
});

test('a program that the lab starts in a node stands in the node’s root folder, not in one of this machine', async () => {
  assert.equal(
    await outputOf('ls -d usr opt work home 2> /dev/null | tr "\\n" " "; readlink /proc/self/cwd'),
    'opt usr /',
  );
});

test('a node sees its own processes only', async () => {
  const names = new Set((await outputOf('cat /proc/[0-9]*/comm')).split('\n'));
  assert.deepEqual([...names].sort(), ['MainThread', 'bash', 'cat', 'isisd', 'lldpd', 'sleep', 'staticd', 'zebra']);
  assert.equal(await outputOf('cat /proc/[0-9]*/comm | grep -c zebra'), '1');
});

test('a node sees its own interfaces only: no cable port, no other router', async () => {
  const names = (script: string) => outputOf(`${script} | sort | tr "\\n" " "`);
  assert.equal(await names('ls /sys/class/net'), 'eth1 lo sr0');
  assert.equal(await names("ip -o link | sed 's/^[0-9]*: \\([a-z0-9]*\\).*/\\1/'"), 'eth1 lo sr0');
});

test('an agent cannot enter or make namespaces, mount, look at raw packets or change the network', async () => {
  const attempts = [
    'nsenter --target 1 --net true',
    'unshare --net true',
    'mount -t tmpfs x /tmp',
    'ip link set eth1 down',
    'nft list ruleset',
    'tcpdump -i eth1 -c 1',
    'ip -n x link',
    'chroot /',
    'mknod /tmp/d b 8 0',
  ];
  for (const attempt of attempts) assert.notEqual((await asAgent(`timeout 2 ${attempt}`)).exitCode, 0, attempt);
});

test('an agent reads neither FRR nor lldpd, only its own sockets are there', async () => {
  const connect = (path: string) =>
    asAgent(
      `node -e "require('net').connect('${path}').on('connect', () => process.exit(0)).on('error', () => process.exit(9))"`,
    );
  for (const path of ['/run/frr/zebra.vty', '/run/frr/isisd.vty', '/run/lldpd.socket']) {
    assert.equal((await connect(path)).exitCode, 9, path);
  }
  assert.equal((await connect('/run/parley-helper/helper.sock')).exitCode, 9, 'the stand-in sets no mode: root only');
  assert.equal((await connect('/run/parley/control.sock')).exitCode, 0);
  const sockets = readdirSync(`/proc/${lab.record.nodes[0]!.init!.pid}/root/run/parley`);
  assert.deepEqual(sockets, ['control.sock']);
});

test('the program and the system are read-only in a node, and the CA key is nowhere', async () => {
  assert.notEqual((await asAgent('touch /usr/x')).exitCode, 0);
  assert.notEqual((await asAgent('touch /opt/parley/src/x')).exitCode, 0);
  assert.equal(await outputOf("find / -xdev -name 'ca-key*' 2> /dev/null"), '');
});

test('environment and command line of the first process say nothing of the lab', async () => {
  const pid = lab.record.nodes[0]!.init!.pid;
  const told = readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  assert.doesNotMatch(told, /LAB_|parley-lab|lb-|scenario/);
  assert.ok(!told.includes(REPOSITORY), 'the path of the repository');
});
