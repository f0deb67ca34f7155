// Clients that are programs: the Inspector's command line and mcporter. One process a step; they have no step for what is absent.
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CALL, endpoint, expect, PROMPT, READ, run, STEP_MS } from './steps.mjs';

const at = endpoint();
const packageOf = (name) => join(import.meta.dirname, '../node_modules', name);

function runProgram(file, args) {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [file, ...args],
      { timeout: STEP_MS, maxBuffer: 33_554_432 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${stderr}${stdout}`.trim().slice(-200) || error.message));
        else resolve(stdout);
      },
    );
  });
}

function inspector(method, ...args) {
  const file = join(packageOf('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');
  const headers = Object.entries(at.headers ?? {}).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const target = at.command ? [at.command, ...at.args] : [at.url, '--transport', 'http', ...headers];
  const how = ['--connect-timeout', String(STEP_MS), '--protocol-era', at.era];
  return runProgram(file, ['--cli', ...target, ...how, '--method', method, ...args]);
}

const pairs = (values) => Object.entries(values).map(([name, value]) => `${name}=${value}`);

const inspectorSteps = {
  connect: () => inspector('tools/list'),
  list: async () => expect((await inspector('tools/list')).includes(CALL.name), CALL.name),
  call: async () => {
    const said = await inspector('tools/call', '--tool-name', CALL.name, '--tool-arg', ...pairs(CALL.arguments));
    expect(said.includes('structuredContent'), 'structured content');
  },
  read: async () => expect((await inspector('resources/read', '--uri', READ)).includes('contents'), 'contents'),
  prompt: async () => {
    const said = await inspector(
      'prompts/get',
      '--prompt-name',
      PROMPT.name,
      '--prompt-args',
      ...pairs(PROMPT.arguments),
    );
    expect(said.includes('messages'), 'messages');
  },
};

function mcporter(...args) {
  const folder = mkdtempSync(join(tmpdir(), 'mcporter-'));
  const config = join(folder, 'mcporter.json');
  const server = at.command ? { command: at.command, args: at.args } : { url: at.url, headers: at.headers ?? {} };
  writeFileSync(config, JSON.stringify({ mcpServers: { parley: server } }));
  return runProgram(join(packageOf('mcporter'), 'dist/cli.js'), ['--config', config, ...args]);
}

const mcporterSteps = {
  connect: () => mcporter('list', 'parley', '--json'),
  list: async () => expect((await mcporter('list', 'parley', '--schema', '--json')).includes(CALL.name), CALL.name),
  call: async () => {
    const said = await mcporter(
      'call',
      `parley.${CALL.name}`,
      '--args',
      JSON.stringify(CALL.arguments),
      '--output',
      'json',
    );
    expect(said.includes('openconfig-interfaces'), 'data');
  },
  read: async () => expect((await mcporter('resource', 'parley', READ)).length > 0, 'contents'),
};

await run(at.client === 'mcporter' ? mcporterSteps : inspectorSteps);
