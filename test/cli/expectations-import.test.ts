// `parley expectations import`: labels of a containerlab topology and lists of NetBox's API become entries; what cannot be used is said, the
// other entries and comments of the node's file stay, and a second import changes nothing.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readExpectations } from '#config/expectations.ts';
import { rowsOfTopology } from '../../src/cli/commands/clab-labels.ts';
import { rowsOfNetbox } from '../../src/cli/commands/netbox-export.ts';
import { type AgentBed, runParley, upAgents } from '../agent/agent-bed.ts';

const TOPOLOGY = `name: lab3
topology:
  nodes:
    pe1: { kind: linux, labels: { owner: somebody, parley.maintenance: 2099-06-01T20:00Z/2099-06-01T22:00Z, parley.reason: new power supply } }
    p2: { kind: linux, labels: { parley.allow: "frr_service_down, device_down", parley.until: 2099-12-31, parley.owner: ann } }
    pe3: { kind: linux, labels: { parley.alow: mtu_mismatch } }
  links:
    - endpoints: ["pe1:eth1", "p2:eth1"]
      labels: { parley.expect: "true" }
    - endpoints: ["p2:eth2", "pe3:eth1"]
      labels: { parley.allow: mtu_mismatch }
`;
const end = (device: string, name: string) => [
  { object_type: 'dcim.interface', object: { name, device: { name: device } } },
];
const CABLES = {
  count: 4,
  next: null,
  results: [
    {
      id: 1,
      display: '#1',
      a_terminations: end('PE1', 'eth1'),
      b_terminations: end('p2', 'eth1'),
      status: { value: 'connected' },
      tenant: { name: 'netops' },
    },
    {
      id: 2,
      display: '#2',
      a_terminations: end('p2', 'eth2'),
      b_terminations: end('pe3', 'eth1'),
      status: { value: 'planned' },
      description: 'not laid yet',
    },
    {
      id: 3,
      display: '#3',
      a_terminations: end('p2', 'eth3'),
      b_terminations: [{ object_type: 'circuits.circuittermination', object: {} }],
      status: { value: 'connected' },
    },
    {
      id: 4,
      display: '#4',
      a_terminations: end('p2', 'Ethernet 1'),
      b_terminations: end('pe3', 'eth9'),
      status: { value: 'connected' },
    },
  ],
};
const DEVICES = [
  { id: 7, name: 'pe1', device_type: {}, status: { value: 'active' } },
  { id: 8, name: 'pe3', device_type: {}, status: { value: 'staged' } },
];

test('labels of nodes and links become entries; a label that cannot be used is said', () => {
  const { rows, notes } = rowsOfTopology(TOPOLOGY, 'lab3.clab.yml');
  const said = { reason: 'labels of node p2', owner: 'ann', until: '2099-12-31' };
  assert.deepEqual(rows, [
    {
      section: 'maintenance',
      entry: {
        ...{ from: '2099-06-01T20:00Z', until: '2099-06-01T22:00Z', nodes: ['pe1'] },
        ...{ reason: 'new power supply', owner: 'lab3' },
      },
    },
    { section: 'allow', entry: { fault: 'frr_service_down', resource: 'node/p2', ...said } },
    { section: 'allow', entry: { fault: 'device_down', resource: 'node/p2', ...said } },
    {
      section: 'expect',
      entry: { link: 'pe1:eth1--p2:eth1', reason: 'labels of link pe1:eth1--p2:eth1', owner: 'lab3' },
    },
  ]);
  assert.deepEqual(
    notes.map((note) => note.slice(0, 60)),
    [
      'node pe3: parley.alow is no label that is read (those are pa',
      'link p2:eth2--pe3:eth1: parley.allow needs parley.until: lef',
    ],
  );
});

test('cables in use must be there; planned ones and devices that are not active are allowed until the end that is given', () => {
  const until = '2099-12-31';
  assert.deepEqual(rowsOfNetbox(CABLES, 'cables.json', until).rows, [
    {
      section: 'expect',
      entry: { link: 'pe1:eth1--p2:eth1', reason: 'NetBox cable #1, connected', owner: 'netops' },
    },
    {
      section: 'allow',
      entry: { fault: 'link_down', resource: 'link/p2:eth2--pe3:eth1', reason: 'not laid yet', owner: 'netbox', until },
    },
  ]);
  assert.deepEqual(rowsOfNetbox(DEVICES, 'devices.json', until).rows, [
    {
      section: 'allow',
      entry: { fault: '*', resource: 'node/pe3', reason: 'NetBox device pe3, staged', owner: 'netbox', until },
    },
  ]);
  assert.equal(rowsOfNetbox(CABLES, 'cables.json', until).notes.length, 2);
  assert.match(rowsOfNetbox(DEVICES, 'devices.json', undefined).notes[0]!, /^device pe3 is staged: give --until/);
});

test('a part of a list, and what is no list of NetBox, is refused', () => {
  const code = { code: 'caller/unreadable-file' };
  assert.throws(
    () => rowsOfNetbox({ ...CABLES, next: 'https://netbox/api/dcim/cables/?offset=50' }, 'x.json', undefined),
    {
      ...code,
      message: /limit=0/,
    },
  );
  for (const value of [{}, [], 'text', { results: [{ id: 1 }] }].filter((each) => !Array.isArray(each)))
    assert.throws(() => rowsOfNetbox(value, 'x.json', undefined), code);
});

let bed: AgentBed;
let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-import-'));
  bed = await upAgents(['pe1'], { pe1: { access: { roles: { local: 'admin' } } } });
});
after(async () => {
  await bed.down();
  await rm(dir, { recursive: true, force: true });
});
const local = (...words: readonly string[]) => runParley([...words, '--socket', bed.socketOf('pe1')]);

test('the node keeps what was said before, with its comments, and a second import changes nothing', async () => {
  const [own, lab, cables] = ['own.yaml', 'lab3.clab.yml', 'cables.json'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(own, '# ours\nexpect:\n  # the way out\n  - { session: 198.18.0.1, at: pe1 }\n');
  await writeFile(lab, TOPOLOGY);
  await writeFile(cables, JSON.stringify(CABLES));
  assert.equal((await local('expectations', 'save', own)).exitCode, 0);
  const imported = await local('expectations', 'import', lab, cables, '--until', '2099-12-31');
  assert.equal(imported.exitCode, 0, imported.stderr);
  assert.match(imported.stderr, /parley\.alow is no label that is read/);
  const text = async () => (await local('expectations', 'show', '--text')).stdout;
  const first = await text();
  assert.match(first, /^# ours\nexpect:\n {2}# the way out\n/);
  const read = readExpectations(first, { faults: ['frr_service_down', 'device_down', 'link_down'] });
  assert.ok('lines' in read, JSON.stringify(read));
  assert.deepEqual(
    read.lines.map(({ kind }) => kind),
    ['expect', 'expect', 'allow', 'allow', 'allow', 'maintenance'],
  );
  // One link is in both files: the last one says why.
  assert.match(first, /link: pe1:eth1--p2:eth1\n +reason: "?NetBox cable #1, connected/);
  assert.equal((await local('expectations', 'import', lab, cables, '--until', '2099-12-31')).exitCode, 0);
  assert.equal(await text(), first);
});

test('with --print no node is asked', async () => {
  const file = join(dir, 'devices.json');
  await writeFile(file, JSON.stringify(DEVICES));
  const printed = await runParley([
    'expectations',
    'import',
    file,
    '--print',
    '--until',
    '2099-12-31',
    '--socket',
    '/nonexistent',
  ]);
  assert.equal(printed.exitCode, 0, printed.stderr);
  assert.match(printed.stdout, /^allow:\n {2}- fault: "\*"\n {4}resource: node\/pe3\n/);
  const broken = join(dir, 'broken.txt');
  await writeFile(broken, ': [');
  assert.equal(
    (await runParley(['expectations', 'import', broken, '--print', '--socket', '/nonexistent'])).exitCode,
    2,
  );
  assert.equal((await readFile(broken, 'utf8')).length, 3);
});
