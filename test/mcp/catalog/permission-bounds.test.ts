// Who may use what, decided for one definition at a time: kind of caller, negotiated capabilities, rules, and hidden data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CallerScope,
  denialData,
  promptDenial,
  resourceDenial,
  toolDenial,
  touchDenial,
} from '#mcp/catalog/permission.ts';
import type { Access, Ruling, Touch } from '#model/access.ts';
import type { PromptDefinition } from '#model/definition.ts';
import { NODE, OPERATOR, resourceDefinition, toolDefinition } from '../harness.ts';

const PERMIT: Ruling = { permit: true, named: false } as Ruling;
const NAMED: Ruling = { permit: true, named: true } as Ruling;
const DENIED: Ruling = { permit: false, named: true, rule: 'no', list: 'own' } as unknown as Ruling;

/** Rules that answer by the name or URI that is asked for; what they were asked is kept. */
function accessOf(rulings: Readonly<Record<string, Ruling>> = {}, hides = false) {
  const asked: unknown[] = [];
  const access = {
    roleOf: () => undefined,
    hidesData: () => hides,
    rule: (_party: unknown, operation: string, target: { name?: string; uri?: string }) => {
      asked.push({ operation, ...target });
      return rulings[target.name ?? target.uri ?? ''] ?? PERMIT;
    },
  } as unknown as Access;
  return { access, asked };
}

const ANN: CallerScope = { caller: OPERATOR, authorised: undefined };
const PEER: CallerScope = { caller: NODE, authorised: ['ping'] };
const tool = toolDefinition({ name: 'ping', mutability: 'probe' });

test('a node uses what was negotiated, and nothing before [TS-14] [TS-14a]', () => {
  const { access } = accessOf();
  assert.equal(toolDenial(access, PEER, tool), undefined);
  const detail = 'capability ping is not authorised for this session';
  assert.deepEqual(toolDenial(access, { ...PEER, authorised: ['pong'] }, tool), { detail, path: 'ping' });
  assert.deepEqual(toolDenial(access, { ...PEER, authorised: undefined }, tool), { detail, path: 'ping' });
  assert.deepEqual(toolDenial(access, PEER, { ...tool, callers: ['operator'] }), { detail, path: 'ping' });
  assert.equal(toolDenial(access, ANN, tool), undefined, 'an operator has a role instead');
  assert.deepEqual(toolDenial(access, ANN, { ...tool, callers: ['node'] }), { detail, path: 'ping' });
});

test('rules are asked about the tool by its first name, and about its other name as well [NET-16]', () => {
  const alias = { ...tool, name: 'old-ping', aliasOf: 'ping' };
  const { access, asked } = accessOf();
  assert.equal(toolDenial(access, ANN, alias), undefined);
  assert.deepEqual(asked, [
    { operation: 'exec', kind: 'tool', name: 'ping', mutability: 'probe' },
    { operation: 'exec', kind: 'tool', name: 'old-ping', mutability: 'probe' },
  ]);
  assert.equal(toolDenial(accessOf({ ping: DENIED }).access, ANN, alias)?.path, 'old-ping');
  assert.equal(toolDenial(accessOf({ 'old-ping': DENIED }).access, ANN, alias)?.path, 'old-ping');
  const unnamed = { ...DENIED, named: false } as Ruling;
  assert.equal(toolDenial(accessOf({ 'old-ping': unnamed }).access, ANN, alias), undefined);
  assert.equal(toolDenial(accessOf({ 'old-ping': DENIED }).access, ANN, tool), undefined, 'not its other name');
});

test('where data is hidden by path, only what honours paths or is named by a rule is shown [NET-16]', () => {
  const hidden = {
    detail: 'some data is hidden from this caller, and this shows data that access rules cannot filter by path',
    path: 'ping',
  };
  assert.deepEqual(toolDenial(accessOf({}, true).access, ANN, tool), hidden);
  assert.equal(toolDenial(accessOf({}, true).access, ANN, { ...tool, honoursPaths: true }), undefined);
  assert.equal(toolDenial(accessOf({ ping: NAMED }, true).access, ANN, tool), undefined);
  assert.equal(toolDenial(accessOf({}, false).access, ANN, tool), undefined);
});

test('a prompt is asked about as a tool that reads, and shows no data itself [NET-16]', () => {
  const prompt = { name: 'why', capability: 'ping', callers: ['node', 'operator'] } as unknown as PromptDefinition;
  const { access, asked } = accessOf({}, true);
  assert.equal(promptDenial(access, ANN, prompt), undefined);
  assert.deepEqual(asked, [{ operation: 'exec', kind: 'tool', name: 'why', mutability: 'read' }]);
  assert.equal(promptDenial(accessOf({ why: DENIED }).access, ANN, prompt)?.path, 'why');
  assert.equal(promptDenial(access, { ...PEER, authorised: [] }, prompt)?.path, 'why');
});

test('a resource is held against its path when it is read, and against the rules only when it is written [NET-16]', () => {
  const resource = resourceDefinition({
    uriTemplate: 'urn:a',
    honoursPaths: true,
    pathOf: () => ['secret'],
  } as never);
  const touched: string[] = [];
  const base = accessOf();
  const access = {
    ...base.access,
    rule: (_party: never, operation: string, target: { uri?: string }) => {
      touched.push(`${operation} ${target.uri ?? JSON.stringify(target)}`);
      return target.uri === undefined ? DENIED : PERMIT;
    },
  } as unknown as Access;
  assert.equal(resourceDenial(access, ANN, resource, 'urn:a', 'update'), undefined);
  assert.deepEqual(touched, ['update urn:a']);
  assert.equal(resourceDenial(access, ANN, resource, 'urn:a')?.path, 'urn:a');
  assert.equal(touched[1], 'read urn:a');
  assert.ok(touched.length > 2, 'the path was asked about');
  const { pathOf: _, ...plain } = resource;
  assert.equal(resourceDenial(access, ANN, plain, 'urn:a'), undefined);
  assert.equal(resourceDenial(accessOf({ 'urn:a': DENIED }).access, ANN, resource, 'urn:a')?.path, 'urn:a');
  assert.match(resourceDenial(access, { ...PEER, authorised: [] }, resource, 'urn:a')!.detail, /is not authorised/);
});

test('the first element that may not be touched denies the whole call [NET-16]', () => {
  const touch = (path: string, name: string): Touch =>
    ({ operations: ['read', 'update'], names: [[name]], path }) as never;
  const access = {
    ...accessOf().access,
    rule: (_: unknown, __: unknown, target: object) => (JSON.stringify(target).includes('secret') ? DENIED : PERMIT),
  } as unknown as Access;
  assert.equal(touchDenial(access, ANN, []), undefined);
  assert.equal(touchDenial(access, ANN, [touch('/a', 'plain')]), undefined);
  const denied = touchDenial(access, ANN, [touch('/a', 'plain'), touch('/b', 'secret'), touch('/c', 'secret')]);
  assert.equal(denied?.path, '/b');
  assert.match(denied!.detail, /read or update/);
});

test('a denial is not to be tried again', () => {
  assert.deepEqual(denialData({ detail: 'no', path: '/a' }), { detail: 'no', path: '/a', retryPossible: false });
});
