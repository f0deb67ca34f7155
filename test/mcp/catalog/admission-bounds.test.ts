// What the catalog answers to calls that it does not let pass, and how it reads cursors, contents and prompts; and the dispatch around it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { createCatalog } from '#mcp/catalog/catalog.ts';
import { type CallScope, createDispatch } from '#mcp/catalog/dispatch.ts';
import { createGate, type GateParts, type Refused, type Transport } from '#mcp/catalog/gate.ts';
import { createFlight } from '#mcp/protocol/flight.ts';
import { type Access, createAccess } from '#model/access.ts';
import type { PromptDefinition } from '#model/definition.ts';
import type { AdmittedCall, IncomingCall } from '#model/ports.ts';
import { fakeEnvelope, NODE, OPERATOR, resourceDefinition, toolDefinition } from '../harness.ts';

const ANN = { caller: OPERATOR, authorised: undefined };
const ADMIN = { caller: { ...OPERATOR, role: 'admin' as const }, authorised: undefined };
const ANYBODY = ['node', 'operator', 'controller'] as const;
const prompt = (name: string): PromptDefinition =>
  ({ name, capability: name, callers: name === 'nodes' ? ['node'] : ANYBODY }) as unknown as PromptDefinition;

const catalog = createCatalog({
  tools: [
    toolDefinition({ name: 'ping', inputSchema: { type: 'object', required: ['to'] } }),
    toolDefinition({ name: 'nodes', callers: ['node'] }),
    toolDefinition({ name: 'absent', available: () => false }),
    toolDefinition({ name: 'away', available: () => false, unavailableCode: -32099 }),
    toolDefinition({ name: 'there', available: () => true }),
  ],
  resources: [
    resourceDefinition({ uriTemplate: 'urn:a/{id}' }),
    resourceDefinition({ uriTemplate: 'urn:w', write: async () => ({}) } as never),
    resourceDefinition({ uriTemplate: 'urn:n', callers: ['node'] }),
  ],
  prompts: [prompt('why'), prompt('nodes')],
});

const admit = (method: string, params: object, scope: Parameters<typeof catalog.admit>[1] = ANN) =>
  catalog.admit({ method, params: { ...params } } as never, scope);
const refusal = (...args: Parameters<typeof admit>) => {
  const admission = admit(...args);
  return admission.kind === 'refused' ? [admission.refusal.code, admission.refusal.data] : admission.kind;
};

test('an unknown name is refused with those that the caller may use [NET-13]', () => {
  assert.deepEqual(refusal('tools/call', { name: 'pong' }), [
    -32602,
    { detail: 'unknown tool "pong"', known: ['ping', 'absent', 'away', 'there'] },
  ]);
  assert.deepEqual(refusal('prompts/get', { name: 'how' }), [
    -32602,
    { detail: 'unknown prompt "how"', known: ['why'] },
  ]);
  assert.deepEqual(refusal('resources/read', { uri: 'urn:b' }), [
    -32002,
    { detail: 'unknown resource "urn:b"', known: ['urn:a/{id}', 'urn:w'] },
  ]);
  const long = 'x'.repeat(200);
  assert.deepEqual(
    (refusal('tools/call', { name: long })[1] as { detail: string }).detail,
    `unknown tool "${'x'.repeat(120)}"`,
  );
});

test('what the caller may not use is denied, known or not [TS-14a]', () => {
  const denied = (path: string, capability: string) => [
    -32083,
    { detail: `capability ${capability} is not authorised for this session`, path, retryPossible: false },
  ];
  assert.deepEqual(refusal('tools/call', { name: 'nodes' }), denied('nodes', 'nodes'));
  assert.deepEqual(refusal('prompts/get', { name: 'nodes' }), denied('nodes', 'nodes'));
  assert.deepEqual(refusal('resources/read', { uri: 'urn:n' }), denied('urn:n', 'ietf-interface-counters'));
});

test('a tool that this device does not have is refused with its code [NET-13]', () => {
  const away = (name: string) => ({
    detail: `${name} is not available on this device`,
    path: name,
    retryPossible: false,
  });
  assert.deepEqual(refusal('tools/call', { name: 'absent' }), [-32084, away('absent')]);
  assert.deepEqual(refusal('tools/call', { name: 'away' }), [-32099, away('away')]);
  assert.equal(refusal('tools/call', { name: 'there' }), 'tool');
});

test('arguments that do not fit the schema are refused, in at most 300 characters', () => {
  const [code, data] = refusal('tools/call', { name: 'ping', arguments: {} }) as [number, Record<string, unknown>];
  assert.deepEqual([code, data['path'], data['retryPossible']], [-32602, 'ping', false]);
  assert.match(String(data['detail']), /to/);
  assert.equal(refusal('tools/call', { name: 'ping', arguments: { to: 'p2' } }), 'tool');
  assert.deepEqual(refusal('tools/call', { name: 'ping', arguments: [] }), [
    -32602,
    { detail: 'expected arguments to be an object, got something else', path: 'ping', retryPossible: false },
  ]);
  const many = Array.from({ length: 60 }, (_, at) => `member-${at}`);
  const strict = createCatalog({
    tools: [
      toolDefinition({ name: 'long', inputSchema: { type: 'object', required: [`x${'y'.repeat(600)}`, ...many] } }),
    ],
    resources: [],
  }).admit({ method: 'tools/call', params: { name: 'long', arguments: {} } }, ANN);
  assert.equal(strict.kind === 'refused' && String(strict.refusal.data['detail']).length, 300);
});

test('a read takes cursor, limit, content id and accepted types; a cursor may stand in the URI [NET-6]', () => {
  const read = (params: object) => {
    const admission = admit('resources/read', params);
    return admission.kind === 'resource' ? [admission.uri, admission.request] : admission;
  };
  assert.deepEqual(read({ uri: 'urn:a/1' }), ['urn:a/1', {}]);
  assert.deepEqual(read({ uri: 'urn:a/1', cursor: '7', limit: 5, 'content-id': 'c', accept: 'text' }), [
    'urn:a/1',
    { cursor: '7', limit: 5, contentId: 'c', accept: 'text' },
  ]);
  assert.deepEqual(read({ uri: 'urn:a/1?cursor=9' }), ['urn:a/1', { cursor: '9' }]);
  assert.deepEqual(read({ uri: 'urn:a/1?cursor=9', cursor: '7' }), ['urn:a/1?cursor=9', { cursor: '7' }]);
  assert.deepEqual(
    (refusal('resources/read', { uri: 'urn:b?cursor=9' })[1] as { detail: string }).detail,
    'unknown resource "urn:b?cursor=9"',
  );
  assert.equal(catalog.findResource('urn:a/1?cursor=9')?.uriTemplate, 'urn:a/{id}');
});

test('a write takes data, text, or the first of contents; never from a node, never to what is only read [NET-16]', () => {
  const write = (params: object, scope: typeof ANN = ADMIN) => {
    const admission = admit('resources/write', { uri: 'urn:w', ...params }, scope);
    return admission.kind === 'write'
      ? admission.content
      : refusal('resources/write', { uri: 'urn:w', ...params }, scope);
  };
  assert.deepEqual(write({ data: { a: 1 } }), { a: 1 });
  assert.equal(write({ text: 'x' }), 'x');
  assert.equal(write({ contents: [{ text: 'y' }, { text: 'z' }], text: 'x' }), 'y');
  assert.equal(write({ contents: ['y'], text: 'x' }), 'x');
  assert.deepEqual(write({}), [-32602, { detail: 'expected params.data or params.text, got neither', path: 'urn:w' }]);
  const node = { caller: NODE, authorised: ['ietf-interface-counters'] };
  const content = { method: 'resources/write', params: { uri: 'urn:w', text: 'x' } } as const;
  assert.equal(catalog.admit(content, node).kind, 'refused', 'by the default rules');
  const permissive = { ...createAccess(), rule: () => ({ permit: true, named: true }) } as unknown as Access;
  const written = resourceDefinition({ uriTemplate: 'urn:w', write: async () => ({}) } as never);
  const lenient = createCatalog({ tools: [], resources: [written], access: permissive });
  assert.equal(lenient.admit(content, ANN).kind, 'write');
  assert.deepEqual(lenient.admit(content, node), {
    kind: 'refused',
    refusal: {
      code: -32083,
      message: 'Network.AccessDenied',
      data: { detail: 'a node never writes to another', path: 'urn:w', retryPossible: false },
    },
  });
  assert.deepEqual(refusal('resources/write', { uri: 'urn:a/1', text: 'x' }, ADMIN), [
    -32084,
    { detail: 'this resource is read-only', path: 'urn:a/1', retryPossible: false },
  ]);
});

test('a prompt takes its context beside or inside its arguments', () => {
  const request = (params: object) => {
    const admission = admit('prompts/get', { name: 'why', ...params });
    return admission.kind === 'prompt' ? admission.request : admission;
  };
  assert.deepEqual(request({}), { arguments: {} });
  assert.deepEqual(request({ arguments: { a: 1, previousContextId: 'c', toolResults: [1] } }), {
    arguments: { a: 1 },
    previousContextId: 'c',
    toolResults: [1],
  });
  assert.deepEqual(request({ previousContextId: 'd', toolResults: [2], arguments: { previousContextId: 'c' } }), {
    arguments: {},
    previousContextId: 'd',
    toolResults: [2],
  });
  assert.deepEqual(request({ previousContextId: 1, toolResults: 'x' }), { arguments: {} });
});

test('two of one name are refused, of each kind', () => {
  const [tool, resource] = [toolDefinition({ name: 'a' }), resourceDefinition({ uriTemplate: 'urn:a' })];
  assert.throws(
    () => createCatalog({ tools: [tool, tool], resources: [] }),
    /^.*expected each tool once, got "a" twice$/,
  );
  assert.throws(
    () => createCatalog({ tools: [], resources: [resource, resource] }),
    /^.*expected each resource once, got "urn:a" twice$/,
  );
  assert.throws(() => createCatalog({ tools: [], resources: [], prompts: [prompt('a'), prompt('a')] }), {
    code: 'us/duplicate-definition',
    message: 'expected each prompt once, got "a" twice',
    data: { name: 'a' },
  });
});

test('an admission runs the call that it was given for, and no other; a forged one runs nothing [TS-14]', () => {
  const content = { method: 'tools/call', params: { name: 'there' } };
  const admission = catalog.admit(content, ANN);
  assert.equal(admission.kind, 'tool');
  const admitted = (over: object) => catalog.isAdmitted({ ...ANN, content, admission, ...over } as never);
  assert.equal(admitted({}), true);
  assert.equal(admitted({ admission: { ...admission } }), false, 'of the same form, but not given by this catalog');
  assert.equal(admitted({ content: { ...content } }), false);
  assert.equal(admitted({ caller: { ...OPERATOR } }), false);
  assert.equal(admitted({ authorised: [] }), false);
  const refused = catalog.admit({ method: 'tools/call', params: { name: 'nodes' } }, ANN);
  assert.equal(admitted({ admission: refused }), false);
});

const dispatchOver = (parts: GateParts) => createDispatch(createGate(parts));

function bed(handler: (call: AdmittedCall) => Promise<never>, withSignature = true) {
  const refused: Refused[] = [];
  const signed: unknown[] = [];
  const dispatch = dispatchOver({
    catalog: () => catalog,
    handler,
    log: silentLog,
    onRefused: (each) => void refused.push(each),
    ...(withSignature
      ? {
          signRefusal: (_call: IncomingCall, refusal: unknown) => {
            signed.push(refusal);
            return fakeEnvelope('refusal');
          },
        }
      : {}),
  });
  const scope: CallScope = { ...ANN, transport: 'http', signal: new AbortController().signal, progress: () => {} };
  return { dispatch, scope, refused, signed };
}

test('a refusal before the handler is told, signed, and given back [TS-16]', async () => {
  const { dispatch, scope, refused, signed } = bed(() => assert.fail('no handler runs'));
  const content = { method: 'tools/call', params: { name: 'nodes' } };
  const handled = await dispatch({ content, sessionId: 's1' } as never, scope);
  const detail = 'capability nodes is not authorised for this session';
  const error = {
    code: -32083,
    message: 'Network.AccessDenied',
    data: { detail, path: 'nodes', retryPossible: false },
  };
  assert.deepEqual(handled, { status: 'refused', ...error, envelope: fakeEnvelope('refusal') });
  assert.deepEqual(signed, [error]);
  const told = {
    party: OPERATOR,
    transport: 'http',
    reason: detail,
    code: -32083,
    method: 'tools/call',
    name: 'nodes',
  };
  assert.deepEqual(refused, [{ ...told, sessionId: 's1' }]);
  await dispatch({ content: { method: 'resources/read', params: { uri: 'urn:n' } } } as never, scope);
  assert.equal(refused[1]!.name, 'urn:n');
  assert.equal('sessionId' in refused[1]!, false);
});

test('nothing that a handler throws reaches the peer [TS-16]', async () => {
  const { dispatch, scope, refused } = bed(() => Promise.reject(new Error('password is x')), false);
  const handled = await dispatch({ content: { method: 'tools/call', params: { name: 'there' } } } as never, scope);
  const data = { detail: 'the node could not answer', retryPossible: false };
  assert.deepEqual(handled, {
    status: 'refused',
    code: -32603,
    message: (handled as { message: string }).message,
    data,
  });
  assert.equal(refused[0]!.reason, 'the node could not answer');
  assert.doesNotMatch(JSON.stringify([handled, refused]), /password/);
});

test('a handler gets the call with what its scope knows, and nothing that it does not', async () => {
  const calls: AdmittedCall[] = [];
  const { dispatch, scope } = bed(async (call) => {
    calls.push(call);
    return { status: 'answered', body: {} } as never;
  });
  const content = { method: 'tools/call', params: { name: 'there' } };
  const ended = new AbortController().signal;
  await dispatch({ content } as never, scope);
  await dispatch({ content } as never, {
    ...scope,
    sessionEnded: ended,
    client: { c: 1 } as never,
    probeCaller: 'p' as never,
  });
  const { signal, progress, caller, authorised } = scope;
  const common = { content, caller, authorised, signal, progress };
  const told = calls.map(({ admission: _, ...call }) => call);
  assert.deepEqual(told, [common, { ...common, sessionEnded: ended, client: { c: 1 }, probeCaller: 'p' }]);
  const admitted = calls.map(({ admission }) => admission.kind === 'tool' && admission.definition.name);
  assert.deepEqual(admitted, ['there', 'there']);
});

test('a session has so many requests in flight, and a place again when one ends, however it ends', async () => {
  const flight = createFlight(2);
  const ends: ((error?: Error) => void)[] = [];
  const work = () =>
    new Promise<void>((resolve, reject) => ends.push((error) => (error === undefined ? resolve() : reject(error))));
  const first = flight.run(work);
  const second = flight.run(work);
  await assert.rejects(flight.run(work), (error: { code: number; data: object }) => {
    assert.deepEqual(
      [error.code, error.data],
      [-32000, { detail: 'at most 2 requests in flight', retryPossible: true }],
    );
    return true;
  });
  ends[0]!(new Error('broken'));
  await assert.rejects(first, /broken/);
  const third = flight.run(work);
  await assert.rejects(flight.run(work));
  for (const end of ends.slice(1)) end();
  await Promise.all([second, third]);
});

test('calls of sessions start in turn, calls within this process at once', async () => {
  const started: string[] = [];
  const gate = createGate({
    catalog: () => catalog,
    handler: async ({ content }) => {
      started.push(String((content.params['arguments'] as { label: string }).label));
      return { status: 'answered', body: {} };
    },
    log: silentLog,
    onRefused: () => assert.fail('nothing is refused'),
  });
  const call = (label: string, transport: Transport) => {
    const content = { method: 'tools/call', params: { name: 'there', arguments: { label } } };
    return gate({ ...ANN, content, signal: new AbortController().signal, progress: () => {} } as never, transport);
  };
  const all = [call('frames', 'frames'), call('http', 'http'), call('local', 'local')];
  for (let turn = 0; turn < 10; turn++) await undefined;
  assert.deepEqual(started, ['local']);
  await Promise.all(all);
  assert.deepEqual(started, ['local', 'frames', 'http']);
});

test('a refusal without detail is told by its message', async () => {
  const { dispatch, scope, refused } = bed(() => assert.fail('no handler runs'));
  const bare = { kind: 'refused', refusal: { code: -32000, message: 'Server.Busy', data: {} } };
  const busy = dispatchOver({
    catalog: () => ({ admit: () => bare as never }),
    handler: () => assert.fail('no handler runs'),
    log: silentLog,
    onRefused: (each) => void refused.push(each),
  });
  await busy({ content: { method: 'tools/call', params: { name: 'ping' } } } as never, scope);
  assert.equal(refused[0]!.reason, 'Server.Busy');
  assert.notEqual(dispatch, busy);
});

test('the listings of a caller hold what it may use, and nothing else [TS-14a]', () => {
  const names = (scope: Parameters<typeof catalog.tools>[0]) => [
    catalog.tools(scope).map(({ name }) => name),
    catalog.resources(scope).map(({ uriTemplate }) => uriTemplate),
    catalog.prompts(scope).map(({ name }) => name),
  ];
  assert.deepEqual(names(ANN), [['ping', 'absent', 'away', 'there'], ['urn:a/{id}', 'urn:w'], ['why']]);
  assert.deepEqual(names({ caller: NODE, authorised: ['nodes', 'why'] }), [['nodes'], [], ['why', 'nodes']]);
  assert.deepEqual(names({ caller: NODE, authorised: ['ietf-interface-counters'] }), [
    [],
    ['urn:a/{id}', 'urn:w', 'urn:n'],
    [],
  ]);
  const urn = catalog.findResource('urn:n')!;
  assert.equal(catalog.mayRead(ANN, urn, 'urn:n'), false);
  assert.equal(catalog.mayRead({ caller: NODE, authorised: ['ietf-interface-counters'] }, urn, 'urn:n'), true);
  assert.deepEqual(
    [catalog.roleOf(ADMIN), catalog.roleOf(ANN), catalog.roleOf({ caller: NODE, authorised: [] })],
    ['admin', 'operator', undefined],
  );
  assert.deepEqual(
    [catalog.hidesData(ANN), catalog.findTool('ping')?.name, catalog.findTool('pong')],
    [false, 'ping', undefined],
  );
  assert.equal(catalog.findResource('urn:x'), undefined);
});
