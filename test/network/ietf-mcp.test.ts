// The YANG module ietf-mcp: one text in two places, readable by a YANG parser, listed, served, and true of the agent.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSchema } from '#codec/yang/schema.ts';
import { argumentOf, parseYang } from '#codec/yang/statements.ts';
import { IETF_MCP, IETF_MCP_TEXT, mcpTree } from '#network/yang/ietf-mcp.ts';

const FILE = join(import.meta.dirname, '../../docs/yang/ietf-mcp@2026-11-21.yang');

test('the file and what is served are one text, with the namespace of the draft [TS-33]', () => {
  assert.equal(readFileSync(FILE, 'utf8'), IETF_MCP_TEXT);
  const parsed = parseYang(IETF_MCP_TEXT);
  assert.ok(parsed.ok);
  assert.equal(parsed.value.argument, 'ietf-mcp');
  assert.equal(argumentOf(parsed.value, 'namespace'), 'urn:ietf:params:xml:ns:yang:ietf-mcp');
  assert.equal(argumentOf(parsed.value, 'revision'), IETF_MCP.revision);
});

test('the data has no node that the module does not have [TS-33]', () => {
  const parsed = parseYang(IETF_MCP_TEXT);
  assert.ok(parsed.ok);
  const schema = buildSchema([parsed.value]);
  const report = {
    id: '1',
    uri: 'urn:x',
    created: 't',
    creator: 'a',
    intent: 'i',
    verdict: 'fault',
    hypothesis: 'h',
    sentence: 's',
  };
  const data = mcpTree({
    node: 'a',
    port: 9514,
    capabilities: ['x'],
    reports: [{ ...report, acknowledgedBy: ['nms'] }],
  });
  const top = data['ietf-mcp:mcp'] as Record<string, unknown>;
  assert.deepEqual(Object.keys(top), ['node', 'port', 'capability', 'privacy-level', 'reports']);
  const node = [...schema.roots.values()].find(({ name }) => name === 'mcp');
  assert.ok(node);
  const names = (of: { readonly children: ReadonlyMap<string, { readonly name: string }> }) =>
    [...of.children.values()].map(({ name }) => name);
  assert.deepEqual(names(node), Object.keys(top));
  const list = [...[...node.children.values()].find(({ name }) => name === 'reports')!.children.values()][0]!;
  const entry = (top['reports'] as { report: Record<string, unknown>[] }).report[0]!;
  assert.deepEqual(names(list), Object.keys(entry));
});
