// One client of this aggregator: what it asks goes to the right subserver, what it must hear comes back. Knows no transport and no TLS.

import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { VERSION } from '#base/version.ts';
import { memberText, withMember } from '#codec/json-members.ts';
import type { RpcId } from '#mcp/protocol/rpc.ts';
import type { AccessTarget } from '#model/access.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { CertificateChain, Party } from '#model/identity.ts';
import { invalidParams } from '../codes.ts';
import type { Caller } from '../leaf/events.ts';
import { REVISIONS, withProgressToken } from '../leaf/subserver.ts';
import { AGGREGATE_EXPERIMENT, META, objectOf } from '../names/capability.ts';
import { isSegment } from '../names/names.ts';
import { createSequence, type Sequence, withNumber } from '../notify/sequence.ts';
import type { Core } from '../tree/core.ts';
import type { View, ViewInit } from '../tree/view.ts';
import {
  type Answer,
  errorAnswer,
  type IncomingNotification,
  type IncomingRequest,
  requestText,
  resultAnswer,
} from '../wire/message.ts';
import type { Peer } from '../wire/peer.ts';
import { callTool, refusedAsker } from './call-tool.ts';
import { COMPACT_TOOLS, createCompact } from './compact.ts';
import { createHearing, type Hearing } from './hearing.ts';
import { createOwnTools } from './own-tools.ts';
import { complete, getPrompt } from './prompts.ts';
import { createReading, type Reading } from './reading.ts';
import { tokenDenial, toolTarget } from './token-rights.ts';

export type SessionInit = {
  readonly party: Party;
  /** What a client sees that asks for nothing else. */
  readonly view: ViewInit;
  /** The client is an aggregator above this one: it is told which of its calls a question belongs to. */
  readonly isParent: boolean;
  /** The certificates that it came with; absent for users without one. */
  readonly chain?: CertificateChain | undefined;
};

/** What the certificate of a session proves of its holder. */
export type Prover = { readonly names: readonly string[]; readonly thumbprint: string | undefined };

/** Methods that only some sessions have, such as those of registration. */
export type MoreMethods = (request: IncomingRequest, peer: Peer) => Promise<Answer> | undefined;

export type Session = {
  readonly party: Party;
  request(request: IncomingRequest, signal: AbortSignal): Promise<Answer>;
  notification(notification: IncomingNotification): void;
  end(): void;
};

/** What the parts of one session share. */
type Serving = {
  readonly core: Core;
  readonly peer: Peer;
  readonly init: SessionInit;
  /** Stands for this client among others. */
  readonly client: object;
  readonly reading: Reading;
  readonly hearing: Hearing;
  /** As the client's initialize said. */
  viewInit: ViewInit;
  capabilities: JsonObject;
  /** The client is a command of ours, which takes errors and no results that say that they are none. */
  isCommand: boolean;
};

/** Takes the peer over. */
export function serveSession(core: Core, peer: Peer, init: SessionInit, more: MoreMethods = () => undefined): Session {
  const client = {};
  const reading = createReading(core, client, () => serving.viewInit.mount);
  const hearing = createHearing(core, whileInForce(peer, init.party), reading, client, init.isParent);
  const serving: Serving = {
    core,
    peer,
    init,
    client,
    reading,
    hearing,
    viewInit: init.view,
    capabilities: {},
    isCommand: false,
  };
  // A node comes to register, and to nothing else.
  const mayAsk = init.party.kind !== 'node' || init.isParent;
  const methods = mayAsk ? methodsOf(serving) : {};
  if (mayAsk) core.listeners.add(hearing.listener);
  const session: Session = {
    party: init.party,
    async request(request, signal) {
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
      return (
        method?.(request, signal) ??
        // No scope of a token covers that its holder joins the tree.
        (init.party.token === undefined ? more(request, peer) : undefined) ??
        errorAnswer(WIRE_CODES.methodNotFound, 'Method not found')
      );
    },
    notification() {},
    end() {
      core.listeners.delete(hearing.listener);
      core.levels.delete(client);
      reading.end();
    },
  };
  peer.onRequest = session.request;
  peer.onNotification = session.notification;
  peer.onEnd = session.end;
  return session;
}

/** A stream may be open for longer than the token by which it was opened. */
function whileInForce(peer: Peer, { token }: Party): Pick<Peer, 'notify'> {
  if (token === undefined) return peer;
  return {
    notify(...given) {
      if (token.isInForce()) peer.notify(...given);
    },
  };
}

type Method = (request: IncomingRequest, signal: AbortSignal) => Promise<Answer> | Answer;
type Methods = Readonly<Record<string, Method>>;

/** Refuses what a token of the party does not permit to read. */
function withToken(party: Party, targetOf: (request: IncomingRequest) => AccessTarget, method: Method): Method {
  if (party.token === undefined) return method;
  return (request, signal) => {
    const denied = tokenDenial(party, targetOf(request));
    return denied === undefined ? method(request, signal) : refusedAsker(denied);
  };
}

function methodsOf(serving: Serving): Methods {
  const { core, init, reading, hearing } = serving;
  const view = (): View => core.view(serving.viewInit);
  const resources = () => core.resources(serving.viewInit.mount);
  const caller = (request: IncomingRequest) => callerOf(serving, request);
  const account = accountOf(init.party);
  const tools = toolsOf(serving, view);
  // Scopes name things as they stand in the whole tree, whatever this client's view calls them.
  const promptTarget = (given: JsonValue | undefined) =>
    toolTarget(view().prompt(String(given))?.name ?? String(given), 'read');
  const resourceTarget = ({ params }: IncomingRequest): AccessTarget => ({
    kind: 'resource',
    uri: reading.nameOf(params),
  });
  const refTarget = ({ params }: IncomingRequest): AccessTarget => {
    const ref = objectOf(params['ref']);
    return ref['type'] === 'ref/prompt' ? promptTarget(ref['name']) : { kind: 'resource', uri: reading.nameOf(ref) };
  };
  return {
    ping: () => resultAnswer({}),
    initialize(request) {
      const chosen = chosenView(request.params, init.view);
      if (typeof chosen === 'string') return invalidParams(chosen);
      serving.viewInit = chosen;
      hearing.begin();
      serving.capabilities = objectOf(request.params['capabilities']);
      serving.isCommand = objectOf(request.params['clientInfo'])['name'] === OPERATOR_CLIENT;
      return resultAnswer(greeting(core, request.params));
    },
    'tools/list'(request) {
      const cursor = cursorOf(request.params);
      if (serving.viewInit.compact && cursor === undefined) return resultAnswer({ tools: COMPACT_TOOLS });
      return pageAnswer(view().toolPage(cursor));
    },
    'tools/call': tools,
    // MCP-AX §11.3: the proof comes with the confirmation, and the call is made at once.
    'mcpax/confirm'(request, signal) {
      const confirmed = confirmedCall(core, request, account);
      return typeof confirmed === 'string' ? invalidParams(confirmed) : tools(confirmed, signal);
    },
    'prompts/list': (request) => pageAnswer(view().promptPage(cursorOf(request.params))),
    'prompts/get': withToken(
      init.party,
      ({ params }) => promptTarget(params['name']),
      (request, signal) => getPrompt(view(), request, signal, caller(request)),
    ),
    'completion/complete': withToken(init.party, refTarget, (request, signal) =>
      complete({ view: view(), find: reading.find }, request, signal, caller(request)),
    ),
    'resources/list': ({ params }) => pageAnswer(resources().resourcePage(cursorOf(params))),
    'resources/templates/list': ({ params }) => pageAnswer(resources().templatePage(cursorOf(params))),
    'resources/read': withToken(init.party, resourceTarget, (request, signal) =>
      reading.read(request, signal, caller(request)),
    ),
    'resources/subscribe': withToken(init.party, resourceTarget, (request, signal) =>
      reading.subscribe(request, signal, caller(request)),
    ),
    'resources/unsubscribe': (request, signal) => reading.unsubscribe(request, signal, caller(request)),
    'logging/setLevel': (request) => hearing.setLevel(request.params['level']),
  };
}

function toolsOf(
  serving: Serving,
  view: () => View,
): (request: IncomingRequest, signal: AbortSignal) => Promise<Answer> {
  const { core, init, reading } = serving;
  const ownTools = createOwnTools(core, init.party);
  const compact = createCompact(core);
  const account = accountOf(init.party);
  return async (request, signal) => {
    const call = {
      paramsText: memberText(request.text, 'params') ?? '{}',
      params: request.params,
      party: init.party,
      mayChange: mayChange(init),
      account,
      caller: callerOf(serving, request),
      signal,
      asked: () => core.vouching?.askedBy(init, request),
      toldOf: (waiting: Answer) => (serving.isCommand ? asError(waiting) : waiting),
    };
    const own = ownTools.call(call) ?? (serving.viewInit.compact ? compact.call(view(), call) : undefined);
    if (own !== undefined) return own;
    const answer = await callTool(core, view(), call);
    reading.remember(answer, view().tool(String(call.params['name']))?.slot);
    return answer;
  };
}

/** Whose budget it is, and whose calls wait. */
function accountOf({ kind, name }: Party): string {
  return `${kind}/${name}`;
}

/** The call that waits under this token, with the proof, as if it came now; a text when there is none of this account. */
function confirmedCall(core: Core, request: IncomingRequest, account: string): IncomingRequest | string {
  const { token, proof } = request.params;
  const consent = core.gates.pending().find(({ id, user }) => id === token && account === whoIn(user));
  if (consent === undefined || !isJsonObject(proof)) return 'expected the token of a call that waits, and a proof';
  const route = consent['route'] as readonly string[];
  const params = { name: route.join('.'), arguments: consent['arguments'] ?? {}, _meta: { [META.proof]: proof } };
  return {
    ...request,
    method: 'tools/call',
    params,
    text: requestText(request.id, 'tools/call', JSON.stringify(params)),
  };
}

function whoIn(user: JsonValue | undefined): string {
  const { kind, name } = objectOf(user);
  return `${String(kind)}/${String(name)}`;
}

/** As mcp/client/operator-client.ts names itself. */
const OPERATOR_CLIENT = 'parley-operator';

function asError(waiting: Answer): Answer {
  if (waiting.kind === 'error') return waiting;
  const { _meta, content } = JSON.parse(waiting.text) as { _meta: JsonObject; content: readonly { text: string }[] };
  const data = {
    errorCode: 'caller/no-consent',
    detail: content[0]?.text ?? '',
    ...objectOf(_meta[META.confirmation]),
  };
  return errorAnswer(WIRE_CODES.accessDenied, 'Network.AccessDenied', data);
}

function callerOf({ peer, client, capabilities, init, hearing }: Serving, request: IncomingRequest): Caller {
  const token = objectOf(request.params['_meta'])['progressToken'];
  const related = request.id;
  let numbers: Sequence | undefined;
  // Few calls get a notification before their answer.
  const sequence = () => {
    numbers ??= createSequence(related, init.isParent);
    return numbers;
  };
  return {
    client,
    ask: (method, paramsText) => askClient(peer, capabilities, { method, paramsText, related, tells: init.isParent }),
    progress(paramsText, route) {
      if (token === undefined) return;
      const text = withProgressToken(paramsText, JSON.stringify(token));
      peer.notify('notifications/progress', withNumber(text, sequence().next(route)), related);
    },
    log: (params, route) => hearing.log(params, route, { related, sequence: sequence() }),
    lost: (route, count) => sequence().skip(route, count),
  };
}

/** Observers and controllers read (docs/operations/who-may-do-what.md); what a parent may do, it has decided itself. */
function mayChange({ party, isParent }: SessionInit): boolean {
  return isParent || (party.kind === 'operator' && party.role !== 'observer');
}

function greeting(core: Core, params: JsonObject): JsonObject {
  const asked = params['protocolVersion'];
  return {
    protocolVersion: REVISIONS.find((each) => each === asked) ?? REVISIONS[0],
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
      experimental: { [AGGREGATE_EXPERIMENT]: { node: core.node } },
    },
    serverInfo: { name: 'parley-aggregate', title: `Parley aggregator ${core.node}`, version: VERSION },
    instructions:
      'Tools of several MCP servers under one namespace: the segments of a name say where a tool is. A tool with x-mcpax-safety in its _meta cannot be undone: its first call answers confirmation_required, and only a person can approve it.',
  };
}

/** A text when the client asks for a view that is none. */
function chosenView(params: JsonObject, given: ViewInit): ViewInit | string {
  const experimental = objectOf(objectOf(params['capabilities'])['experimental'])[AGGREGATE_EXPERIMENT];
  if (experimental === undefined) return given;
  if (!isJsonObject(experimental)) return `expected ${AGGREGATE_EXPERIMENT} to be an object`;
  const { names = given.names, mount = given.mount, compact = given.compact } = experimental;
  if (names !== 'dotted' && names !== 'host') return 'expected names to be dotted or host';
  if (typeof compact !== 'boolean') return 'expected compact to be true or false';
  if (mount !== undefined && !isMount(mount, given.mount))
    return 'expected mount to be a path of segments within the one that is given';
  return { names, compact, ...(mount === undefined ? {} : { mount: String(mount) }) };
}

function isMount(mount: JsonValue, within: string | undefined): boolean {
  if (typeof mount !== 'string' || !mount.split('.').every(isSegment)) return false;
  return within === undefined || mount === within || mount.startsWith(`${within}.`);
}

const NEEDS: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

type Question = {
  readonly method: string;
  readonly paramsText: string;
  readonly related: RpcId;
  readonly tells: boolean;
};

async function askClient(peer: Peer, capabilities: JsonObject, question: Question): Promise<Answer> {
  const { method, paramsText, related, tells } = question;
  if (capabilities[NEEDS[method] ?? ''] === undefined) {
    if (method === 'roots/list') return resultAnswer({ roots: [] });
    return errorAnswer(WIRE_CODES.methodNotFound, 'Method not found', {
      detail: `the client does not support ${method}`,
    });
  }
  const text = tells ? relatedTo(paramsText, related) : paramsText;
  // A person may take their time: the call that asked has the deadline.
  return peer.call({ method, paramsText: text, timeoutMs: undefined, related }).answer;
}

/** Names the call of the aggregator above, which has one stream for all of its clients. */
export function relatedTo(paramsText: string, related: RpcId): string {
  const meta = memberText(paramsText, '_meta') ?? '{}';
  return withMember(paramsText, '_meta', withMember(meta, META.related, JSON.stringify(related)));
}

function cursorOf(params: JsonObject): string | undefined {
  return params['cursor'] === undefined ? undefined : String(params['cursor']);
}

function pageAnswer(page: Answer | undefined): Answer {
  return page ?? invalidParams('expected a cursor of an earlier page');
}
