// The configuration helper as a process, in a folder of the test: who can open its socket, and whose files it believes. Needs root, since it is
// about other users; users and groups are numbers that this machine gives to nobody.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createHelperClient } from '#router/protocol/client.ts';
import { waitUntil } from '../../simulations/lab/wait.ts';
import { consentCheck } from '../../src/cli/doctor/doctor.ts';
import { createDomain } from '../mtls/domain.ts';
import { HANG_MS } from '../until-written.ts';

const ENTRY = join(import.meta.dirname, '../../src/agent/config-helper.ts');
/** Stand for the groups parley-config, parley (operators) and parley-agent (the read helper's), and for a user of nothing else. */
const [CONFIG_GROUP, OPERATORS_GROUP, SOMEBODY, READERS_GROUP] = [61_401, 61_402, 61_403, 61_404];

/** A folder as the package makes it: the authority root's own, the socket's folder open to the group of its own. */
async function place(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'parley-helper-'));
  const domain = await createDomain();
  t.after(async () => {
    await domain.remove();
    rmSync(dir, { recursive: true, force: true });
  });
  const [authority, run] = [join(dir, 'authority'), join(dir, 'run')];
  chmodSync(dir, 0o755);
  mkdirSync(authority, { mode: 0o755 });
  mkdirSync(run);
  chownSync(run, 0, CONFIG_GROUP);
  chmodSync(run, 0o2750);
  writeFileSync(join(authority, 'consent.yaml'), 'node: pe1\n', { mode: 0o644 });
  writeFileSync(join(authority, 'ca.pem'), domain.caPem, { mode: 0o644 });
  return { dir, authority, socket: join(run, 'config.sock') };
}

type Place = Awaited<ReturnType<typeof place>>;

function start(
  t: TestContext,
  { dir, authority, socket }: Place,
): { readonly helper: ChildProcess; said: () => string } {
  const args = ['--socket', socket, '--state', join(dir, 'state'), '--authority', authority];
  const helper = spawn(process.execPath, ['--conditions=parley-source', ENTRY, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const chunks: Buffer[] = [];
  helper.stderr!.on('data', (chunk: Buffer) => chunks.push(chunk));
  t.after(async () => {
    if (helper.exitCode !== null) return;
    helper.kill();
    await once(helper, 'exit');
  });
  return { helper, said: () => Buffer.concat(chunks).toString() };
}

const DIAL = `
const socket = require('node:net').connect(process.argv[1]);
socket.on('connect', () => { console.log('connected'); socket.destroy(); });
socket.on('error', (error) => console.log(error.code));
`;

/** What a process of this user and group, and of no other group, gets from the socket. */
function dialAs(uid: number, gid: number, socket: string): string {
  const { stdout } = spawnSync(process.execPath, ['-e', DIAL, socket], { uid, gid, cwd: '/', encoding: 'utf8' });
  return stdout.trim();
}

test('neither the operators’ group nor the read helper’s opens the configuration helper’s socket, and the group of its own does [TS-28]', async (t) => {
  const given = await place(t);
  const { said } = start(t, given);
  const helper = createHelperClient(given.socket);
  const answers = () =>
    helper.call('status', {}).then(
      () => undefined,
      () => said() || 'an answer',
    );
  await waitUntil('the helper to answer', answers, { timeoutMs: HANG_MS, intervalMs: 20 });
  const { mode, gid } = statSync(given.socket);
  assert.deepEqual([mode & 0o777, gid], [0o660, CONFIG_GROUP], 'the folder hands its group on');
  assert.equal(dialAs(SOMEBODY, OPERATORS_GROUP, given.socket), 'EACCES');
  assert.equal(dialAs(SOMEBODY, READERS_GROUP, given.socket), 'EACCES');
  assert.equal(dialAs(SOMEBODY, SOMEBODY, given.socket), 'EACCES');
  assert.equal(dialAs(SOMEBODY, CONFIG_GROUP, given.socket), 'connected');
  assert.match(said(), /"node":"pe1","consent":"required"/);
});

const UNSAFE: readonly (readonly [string, (given: Place) => void, RegExp])[] = [
  [
    'a policy file of another user',
    ({ authority }) => chownSync(join(authority, 'consent.yaml'), SOMEBODY, 0),
    /belongs to user 61403/,
  ],
  [
    'a policy file that its group may write',
    ({ authority }) => chmodSync(join(authority, 'consent.yaml'), 0o664),
    /may be written by its group or by others/,
  ],
  [
    'a policy file that all may write',
    ({ authority }) => chmodSync(join(authority, 'consent.yaml'), 0o646),
    /may be written by its group or by others/,
  ],
  [
    'a CA that its group may write',
    ({ authority }) => chmodSync(join(authority, 'ca.pem'), 0o664),
    /ca\.pem.*may be written/,
  ],
  ['a folder of another user', ({ authority }) => chownSync(authority, SOMEBODY, 0), /authority belongs to user 61403/],
  ['a folder that its group may write', ({ authority }) => chmodSync(authority, 0o775), /authority may be written/],
  [
    'a folder above it that all may write',
    ({ dir }) => chmodSync(dir, 0o777),
    /may be written by its group or by others/,
  ],
  [
    'a link to a file elsewhere',
    ({ dir, authority }) => {
      writeFileSync(join(dir, 'other.yaml'), 'node: pe1\nconsent: "off"\n');
      rmSync(join(authority, 'consent.yaml'));
      symlinkSync(join(dir, 'other.yaml'), join(authority, 'consent.yaml'));
    },
    /consent\.yaml to be a file that only root may change/,
  ],
  ['no policy file', ({ authority }) => rmSync(join(authority, 'consent.yaml')), /ENOENT/],
  [
    'a policy file with an unknown key',
    ({ authority }) => writeFileSync(join(authority, 'consent.yaml'), 'node: pe1\nconsents: "off"\n'),
    /consent\.yaml: .*consents/,
  ],
  [
    'a policy file without a node',
    ({ authority }) => writeFileSync(join(authority, 'consent.yaml'), 'consent: required\n'),
    /consent\.yaml: node: /,
  ],
];

test('a helper whose authority another user may change does not start, and says which file [TS-28]', async (t) => {
  for (const [name, spoil, expected] of UNSAFE) {
    const given = await place(t);
    spoil(given);
    const { helper, said } = start(t, given);
    const [exitCode] = await once(helper, 'exit');
    assert.equal(exitCode, 1, `${name}: started`);
    assert.match(said(), expected, name);
    assert.throws(() => statSync(given.socket), { code: 'ENOENT' }, name);
  }
});

const NIGHTLY = { name: 'nightly', tool: 'network.commit', rollbackSeconds: 600 };

test('settings that differ from the helper’s are named with the file that decides [TS-28]', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-doctor-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'consent.yaml');
  const text = 'node: pe1\npreApproved: [{name: nightly, tool: network.commit, rollbackSeconds: 600}]\n';
  writeFileSync(file, text, { mode: 0o644 });
  writeFileSync(join(folder, 'ca.pem'), 'any', { mode: 0o644 });
  const configure = { consent: 'required' as const, preApproved: [NIGHTLY], twoAdmins: [] };
  assert.deepEqual(await consentCheck({ node: 'pe1', configure }, folder), {
    value: true,
    detail: `required, pre-approved changes: 1, by ${file}`,
  });
  await assert.rejects(consentCheck({ node: 'pe2', configure }, folder), {
    message: `expected node pe2 in ${file}, got pe1`,
  });
  await assert.rejects(consentCheck({ node: 'pe1', configure: { ...configure, consent: 'off' } }, folder), {
    message: `expected configure.consent as in ${file}, required, got off`,
  });
  const more = { ...configure, preApproved: [NIGHTLY, { ...NIGHTLY, name: 'weekly' }] };
  await assert.rejects(consentCheck({ node: 'pe1', configure: more }, folder), { message: /the policy weekly/ });
  chmodSync(file, 0o666);
  await assert.rejects(consentCheck({ node: 'pe1', configure }, folder), { code: 'node/unsafe-file' });
});
