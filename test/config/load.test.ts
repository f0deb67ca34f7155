// Configuration: precedence, all problems at once with their paths, and a reference file that says what is true.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { ParleyError } from '#base/error.ts';
import { type ConfigSources, loadConfig, schemaLeaves } from '#config/load.ts';
import { configSchema } from '#config/schema.ts';

const REFERENCE = join(import.meta.dirname, '../../docs/operations/parley.yaml');

let dir: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-config-'));
});
after(() => rm(dir, { recursive: true }));

async function load(text: string, sources: Omit<ConfigSources, 'file'> = {}) {
  const file = join(dir, 'parley.yaml');
  await writeFile(file, text);
  return loadConfig({ file, env: {}, ...sources });
}

async function problem(text: string, sources: Omit<ConfigSources, 'file'> = {}): Promise<ParleyError> {
  try {
    await load(text, sources);
  } catch (error) {
    assert.ok(error instanceof ParleyError);
    return error;
  }
  throw new Error('expected a refusal, got a configuration');
}

const LEAST = 'node: pe1\ndomain: example.net\n';

test('two lines are a whole configuration; the rest has defaults', async () => {
  const config = await load(LEAST);
  assert.deepEqual(config.listen, { host: '::', port: 9514, names: [] });
  assert.deepEqual(config.driver, { kind: 'linux-frr', helper: '/run/parley-helper/helper.sock' });
  assert.deepEqual(config.peers.allow, [
    'ietf-srv6-ping',
    'ietf-interface-counters',
    'parley-peers',
    'parley-capture',
    'parley-dhcp',
    'parley-service-probe',
    'parley-lookups',
    'parley-reach',
    'parley-relay',
    'parley-host-scan',
  ]);
  assert.equal(config.probe.count, 1_000);
});

test('flags win over PARLEY_*, that over the file, that over the defaults', async () => {
  const text = `${LEAST}listen: { port: 1001 }\nprobe: { count: 200 }\nsessions: { idleMs: 5 }\n`;
  const env = { PARLEY_LISTEN_PORT: '2001', PARLEY_PROBE_COUNT: '300' };
  const config = await load(text, { env, flags: { 'listen.port': '3001' } });
  assert.deepEqual(
    [config.listen.port, config.probe.count, config.sessions.idleMs, config.narrate.timeoutMs],
    [3001, 300, 5, 4_000],
  );
});

test('texts are read as the schema wants them: a node may be called 42, a port may not be called abc', async () => {
  assert.equal((await load(LEAST, { env: { PARLEY_NODE: '42' } })).node, '42');
  assert.equal((await load(LEAST, { env: { PARLEY_DISCOVERY_LLDP: 'false' } })).discovery.lldp, false);
  const refused = await problem(LEAST, { env: { PARLEY_LISTEN_PORT: 'abc' } });
  assert.match(refused.message, /listen\.port: .*expected number, received string/);
});

test('the driver can be chosen by environment', async () => {
  const env = { PARLEY_DRIVER_KIND: 'embedded', PARLEY_DRIVER_HUB: '/run/hub.sock' };
  assert.deepEqual((await load(LEAST, { env })).driver, { kind: 'embedded', hub: '/run/hub.sock' });
});

test('names in the environment that are no settings are left to others', async () => {
  const env = { PARLEY_SOCKET: '/run/x.sock', PARLEY_IDENTITY: '/etc/x', PARLEY_CONFIG: '/nowhere', PATH: '/bin' };
  assert.equal((await load(LEAST, { env })).node, 'pe1');
});

test('tells all problems at once, each with its path', async () => {
  const text =
    'node: PE 1\nlisten: { port: 0, hots: x }\ndriver: { kind: embedded }\nclok: {}\npeers: { pins: { p2: ff } }\n';
  const { code, message } = await problem(text);
  assert.equal(code, 'caller/config-invalid');
  for (const path of [
    'node: expected a node name',
    'domain: ',
    'listen.port: ',
    'listen: ',
    '"hots"',
    'driver.hub: ',
    'peers.pins.p2: expected a SHA-256 thumbprint',
    '"clok"',
  ])
    assert.ok(message.includes(path), `${path} is not in: ${message}`);
});

test('an unknown key fails wherever it comes from', async () => {
  assert.match((await problem(`${LEAST}log: { lvel: info }\n`)).message, /log: Unrecognized key: "lvel"/);
  assert.match((await problem(LEAST, { flags: { 'log.lvel': 'info' } })).message, /log: Unrecognized key: "lvel"/);
});

test('OLLAMA_HOST names the language model, with or without a scheme; PARLEY_NARRATE_OLLAMA wins', async () => {
  assert.equal((await load(LEAST)).narrate.ollama, undefined);
  assert.equal(
    (await load(LEAST, { env: { OLLAMA_HOST: '127.0.0.1:11434' } })).narrate.ollama,
    'http://127.0.0.1:11434',
  );
  assert.equal(
    (await load(LEAST, { env: { OLLAMA_HOST: 'https://ai.example' } })).narrate.ollama,
    'https://ai.example',
  );
  const env = { OLLAMA_HOST: '127.0.0.1:1', PARLEY_NARRATE_OLLAMA: 'http://127.0.0.1:2' };
  assert.equal((await load(LEAST, { env })).narrate.ollama, 'http://127.0.0.1:2');
});

test('a file that was named and is not there is missing; broken YAML and a list are invalid', async () => {
  const missing = await loadConfig({ file: join(dir, 'nowhere.yaml'), env: {} }).catch((error: ParleyError) => error);
  assert.ok(missing instanceof ParleyError);
  assert.equal(missing.code, 'caller/config-missing');
  assert.match(missing.message, /nowhere\.yaml: give --config FILE or set PARLEY_CONFIG/);
  assert.equal((await problem('a: [')).code, 'caller/config-invalid');
  assert.match((await problem('- a')).message, /expected a mapping at the top/);
});

test('what was loaded cannot be changed', async () => {
  const config = await load(LEAST);
  assert.throws(() => {
    (config.listen as { port: number }).port = 1;
  }, TypeError);
  assert.throws(() => {
    (config.peers.allow as string[]).push('everything');
  }, TypeError);
});

test('the reference file loads, and says the defaults', async () => {
  const said = await loadConfig({ file: REFERENCE, env: {} });
  const defaults = configSchema.parse({ node: 'pe1', domain: 'example.net' });
  assert.deepEqual(JSON.parse(JSON.stringify(said)), JSON.parse(JSON.stringify(defaults)));
});

test('the reference file names every key of the schema', async () => {
  const text = await readFile(REFERENCE, 'utf8');
  const tree = parseYaml(text) as Record<string, unknown>;
  const has = (path: readonly string[]) =>
    path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], tree) !== undefined;
  const leaves = schemaLeaves(configSchema).map(({ path }) => path);
  const unsaid = leaves.filter((path) => !has(path)).map((path) => path.join('.'));
  // Keys without a default are shown as comments.
  assert.deepEqual(unsaid.sort(), [
    'audit.collector.ca',
    'audit.collector.cert',
    'audit.collector.closeNotify',
    'audit.collector.host',
    'audit.collector.key',
    'audit.collector.name',
    'audit.collector.port',
    'discovery.isis.area',
    'discovery.isis.interface',
    'discovery.isis.systemId',
    'driver.configHelper',
    'driver.configurable',
    'driver.host',
    'driver.hub',
    'driver.keyFile',
    'driver.passwordFile',
    'driver.port',
    'driver.user',
    'log.file',
    'loopback.port',
    'narrate.ollama',
    'parent.authority',
    'parent.authorityProofFile',
    'parent.heartbeatMs',
    'parent.node',
    'parent.port',
    'parent.segment',
    'registrar.dir',
  ]);
  for (const name of ['area', 'interface', 'systemId', 'configHelper', 'hub', 'file', 'port', 'ollama'])
    assert.match(text, new RegExp(`# .*\\b${name}: `), name);
  assert.ok(has(['discovery', 'static']) && has(['peers', 'pins']) && has(['peers', 'allow']));
  assert.ok(leaves.length > 15);
});

const NETCONF = `${LEAST}driver: { kind: netconf, host: 192.0.2.1, user: parley, hostKeys: ["SHA256:${'A'.repeat(43)}"], keyFile: /k }\n`;

test('a NETCONF device needs a pinned host key, and one credential', async () => {
  const { driver } = await load(NETCONF);
  assert.deepEqual(driver.kind === 'netconf' && [driver.port, driver.keyFile, driver.passwordFile], [
    830,
    '/k',
    undefined,
  ]);
  assert.match(
    (await problem(NETCONF.replace(', keyFile: /k', ''))).message,
    /expected either passwordFile or keyFile/,
  );
  assert.match(
    (await problem(NETCONF.replace('/k', '/k, passwordFile: /p'))).message,
    /either passwordFile or keyFile/,
  );
  assert.match((await problem(NETCONF.replace('SHA256:', 'MD5:'))).message, /hostKeys.*expected a fingerprint/);
  assert.match((await problem(NETCONF.replace(/\["SHA256:A+"\]/, '[]'))).message, /driver\.hostKeys/);
});
