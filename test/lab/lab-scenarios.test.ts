// The project's own scenarios, end to end on real routers with real agents: every injection lands, every answer is right, nothing is left.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadScenarios, type RunLine, runCampaign } from '../../simulations/lab/campaign.ts';
import { namespaceNames } from '../../simulations/lab/namespaces.ts';
import { createRegistry } from '../../simulations/lab/registry.ts';

const SCENARIOS = join(import.meta.dirname, '../../simulations/scenarios');
const dir = mkdtempSync(join(tmpdir(), 'lb-labs-'));
after(() => rmSync(dir, { recursive: true }));

async function runAll(files: readonly string[], options: { readonly prefix: string; readonly mutualTls?: boolean }) {
  const lines: RunLine[] = [];
  const scenarios = await loadScenarios(files.map((file) => join(SCENARIOS, file)));
  const summary = await runCampaign(scenarios, {
    name: 'scenarios',
    dir,
    seed: 1,
    print: (line) => lines.push(line),
    ...options,
  });
  return { lines, summary };
}

test('every scenario of the project is answered right, and every run is valid [CARD-7] [CARD-9]', async () => {
  const files = readdirSync(SCENARIOS).filter((file) => file.endsWith('.yml'));
  const { lines, summary } = await runAll(files, { prefix: 'lb-sc-' });
  const wrong = lines.filter((line) => line.invalid !== undefined || line.rcaF1 !== 1 || line.detection !== 1);
  assert.deepEqual(wrong, []);
  assert.deepEqual(summary, { runs: files.length, right: files.length, wrong: 0, invalid: 0 });
  assert.ok(lines.every((line) => line.report?.startsWith('urn:ietf:params:xml:ns:yang:ietf-mcp/report/')));
});

test('an operator with a certificate asks over mutual TLS and gets the same answer [CARD-7]', async () => {
  const { lines } = await runAll(['srv6-loss.yml'], { prefix: 'lb-st-', mutualTls: true });
  assert.deepEqual(
    lines.map(({ verdict, predicted, invalid, failed }) => ({ verdict, predicted, invalid, failed })),
    [
      {
        verdict: 'fault',
        predicted: [{ resource: 'interface/pe1/eth1', fault: 'packet_loss' }],
        invalid: undefined,
        failed: undefined,
      },
    ],
  );
});

test('campaigns leave no namespace and no entry', async () => {
  assert.deepEqual(
    namespaceNames().filter((name) => /^lb-s[ct]-/.test(name)),
    [],
  );
  assert.deepEqual(await createRegistry(dir).list(), []);
});
