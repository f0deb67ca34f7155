// Clients of MCP 2026-07-28 with the same party, view and capabilities, as one session of the older revisions: what the session says goes to the
// request that it belongs to, and what it asks becomes further rounds of that request. A call runs once, however many rounds it takes.
import type { JsonObject, JsonValue } from '#base/json.ts';
import { memberText, withoutMembers } from '#codec/json-members.ts';
import { MCP_LIMITS } from '#mcp/limits.ts';
import { ERA_CODES, MODERN_REVISION } from '#mcp/modern/era.ts';
import type { CallBinding, OpenCalls } from '#mcp/modern/open-calls.ts';
import { RpcError } from '#mcp/protocol/rpc.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { objectOf } from '../names/capability.ts';
import { createRenumbering, numberedIn, type Renumbering, withNumber } from '../notify/sequence.ts';
import { type Link, UNSET } from '../wire/link.ts';
import {
  type Answer,
  answerOf,
  errorAnswer,
  type IncomingRequest,
  notificationText,
  requestText,
  responseText,
  resultAnswer,
} from '../wire/message.ts';
import type { ModernOut } from '../wire/modern-exchange.ts';
import { ENVELOPE, modernAnswer, RETRY, SERVER_INFO } from './envelope.ts';
import { createListens, type Listens } from './listens.ts';

/** A call that waits for its client. */
export type WaitingCall = {
  abort(reason: Error): void;
  resume(out: ModernOut, responses: JsonObject): void;
};

export type FrontSession = {
  request(message: IncomingRequest, out: ModernOut): void;
  /** The client has given up what goes to `out`. */
  abandon(out: ModernOut): void;
  /** Nothing is running, and no client listens. */
  readonly isIdle: boolean;
  /** How many of its clients listen. */
  readonly listenCount: number;
  close(): void;
};

export type FrontSessionInit = {
  readonly party: Party;
  readonly capabilities: JsonObject;
  readonly calls: OpenCalls<WaitingCall>;
  /** Whether the party may listen once more, in any of its sessions. */
  readonly mayListen: () => boolean;
  /** Begins the session behind this link. */
  readonly serve: (link: Link) => void;
};

type Running = {
  readonly id: number;
  readonly method: string;
  readonly binding: CallBinding;
  /** Undefined while the client has no request open. */
  out: ModernOut | undefined;
  readonly level: number;
  /** Of what it was told, over all of its rounds. */
  numbers: Renumbering | undefined;
  /** What was asked and is not answered, by key. */
  readonly asked: Map<string, { readonly id: number; readonly method: string; readonly params: JsonValue }>;
  count: number;
  isAsking: boolean;
  done: Answer | undefined;
};

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Methods of the session that this revision has. */
const SERVED: ReadonlySet<string> = new Set([
  'tools/list',
  'tools/call',
  'mcpax/confirm',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

export function createFrontSession(init: FrontSessionInit): FrontSession {
  const state = createState(init);
  const { running, listens } = state;
  init.serve(state.link);
  const greeting = state.ask('initialize', {
    protocolVersion: MODERN_REVISION,
    // Each question is held against what the client has declared when it comes: the call ends there, as this revision demands.
    capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} },
    clientInfo: SERVER_INFO,
  });
  return {
    request(message, out) {
      const { id, method, params } = message;
      const answer = (given: Answer) => out.answer(given);
      if (method === 'server/discover') void greeting.then((given) => answer(discovered(given)));
      else if (method === 'subscriptions/listen' && !init.mayListen())
        answer(
          errorAnswer(WIRE_CODES.busy, 'Too many subscriptions', { most: AGGREGATE_LIMITS.aggregatedListensPerParty }),
        );
      else if (method === 'subscriptions/listen') void listens.open(out, id, params, { tell: out.tell, answer });
      else if (!SERVED.has(method)) out.answer(errorAnswer(WIRE_CODES.methodNotFound, 'Method not found'), 404);
      else if (running.size >= AGGREGATE_LIMITS.aggregatedRequests)
        answer(modernAnswer(method, errorAnswer(WIRE_CODES.busy, 'Too many requests in flight')));
      else if (params[RETRY.state] === undefined) begin(state, message, out);
      else void goOn(state, message, out);
    },
    abandon(out) {
      listens.close(out);
      for (const call of [...running.values()]) if (call.out === out) cancel(state, call, 'the client gave it up');
    },
    get isIdle() {
      return running.size === 0 && listens.count === 0;
    },
    get listenCount() {
      return listens.count;
    },
    close: () => state.link.close('stopped'),
  };
}

type State = {
  readonly init: FrontSessionInit;
  readonly running: Map<number, Running>;
  readonly listens: Listens;
  readonly link: Link;
  readonly nextId: () => number;
  /** A request of this session itself. */
  readonly ask: (method: string, params: JsonObject) => Promise<Answer>;
  /** The most curious level of log messages that was asked for. */
  level: number;
};

function createState(init: FrontSessionInit): State {
  const own = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  let closed = false;
  const nextId = () => ++lastId;
  const link: Link = {
    ...UNSET,
    send(text, about) {
      if (about.kind === 'response') answered(text, Number(about.id));
      else if (about.kind === 'request') question(state, text, about.id, state.running.get(Number(about.related)));
      else told(state, text, state.running.get(Number(about.related)));
    },
    start() {},
    close(reason) {
      if (closed) return;
      closed = true;
      state.listens.closeAll();
      const ended = errorAnswer(WIRE_CODES.internal, reason ?? 'stopped');
      for (const each of [...state.running.values()]) finish(state, each, ended);
      link.ended(reason);
    },
    get closed() {
      return closed;
    },
  };
  const answered = (text: string, id: number) => {
    const read = answerOf(text);
    const answer = read.ok ? read.value : errorAnswer(WIRE_CODES.internal, 'Internal error');
    own.get(id)?.(answer);
    own.delete(id);
    const call = state.running.get(id);
    if (call !== undefined) finish(state, call, answer);
  };
  const ask: State['ask'] = (method, params) => {
    if (closed) return Promise.resolve(errorAnswer(WIRE_CODES.unreachable, 'Network.Unreachable'));
    const id = nextId();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    own.set(id, resolve);
    receive(link, { id, method, params }, JSON.stringify(params));
    return promise;
  };
  const state: State = {
    init,
    running: new Map(),
    listens: createListens(ask),
    link,
    nextId,
    ask,
    level: LEVELS.indexOf('info'),
  };
  return state;
}

type Own = { readonly id: number; readonly method: string; readonly params: JsonObject };

function receive(link: Link, request: Own, paramsText: string): void {
  const text = requestText(request.id, request.method, paramsText);
  link.receive({ kind: 'request', ...request, raw: {}, text });
}

function begin(state: State, message: IncomingRequest, out: ModernOut): void {
  const { method, params } = message;
  const level = LEVELS.indexOf(String(objectOf(params['_meta'])[ENVELOPE.logLevel]));
  if (level !== -1 && level < state.level) {
    state.level = level;
    void state.ask('logging/setLevel', { level: LEVELS[level]! });
  }
  const id = state.nextId();
  const binding = bindingOf(state.init.party, message);
  const call: Running = {
    id,
    method,
    binding,
    out,
    level,
    numbers: undefined,
    asked: new Map(),
    count: 0,
    isAsking: false,
    done: undefined,
  };
  state.running.set(id, call);
  const paramsText = withoutMembers(memberText(message.text, 'params') ?? '{}', Object.values(RETRY));
  receive(state.link, { id, method, params }, paramsText);
}

async function goOn({ init }: State, message: IncomingRequest, out: ModernOut): Promise<void> {
  const { params } = message;
  try {
    const call = await init.calls.take(params[RETRY.state], bindingOf(init.party, message));
    call.resume(out, objectOf(params[RETRY.responses]));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    out.answer(errorAnswer(error.code, error.message, error.data));
  }
}

function cancel(state: State, call: Running, reason: string): void {
  const { running, link } = state;
  running.delete(call.id);
  const params = { requestId: call.id, reason };
  const text = notificationText(CANCELLED, JSON.stringify(params));
  link.receive({ kind: 'notification', method: CANCELLED, params, raw: {}, text });
  dropAsked(state, call, reason);
}

/** Who has asked waits without a deadline, and only so many questions of one server can be open. */
function dropAsked(state: State, { asked }: Running, reason: string): void {
  for (const { id } of asked.values()) answerQuestion(state, id, errorAnswer(WIRE_CODES.internal, reason));
  asked.clear();
}

const CANCELLED = 'notifications/cancelled';

/** An answer that comes while the client has no request open is kept for its next one. */
function finish(state: State, call: Running, answer: Answer): void {
  const { running } = state;
  call.done = answer;
  dropAsked(state, call, 'the call has ended');
  if (call.out === undefined) return;
  running.delete(call.id);
  call.out.answer(modernAnswer(call.method, answer));
}

/** What the session asks its client. */
function question(state: State, text: string, id: number, call: Running | undefined): void {
  const { method, params = {} } = JSON.parse(text) as { method: string; params?: JsonObject };
  if (call === undefined) {
    const detail = 'no call of this client is open';
    answerQuestion(state, id, errorAnswer(WIRE_CODES.methodNotFound, 'Method not found', { detail }));
    return;
  }
  const key = `${method.replace('/', '-')}-${++call.count}`;
  const needed = CAPABILITIES[method];
  if (needed !== undefined && state.init.capabilities[needed] === undefined) {
    if (method === 'roots/list') answerQuestion(state, id, resultAnswer({ roots: [] }));
    else {
      call.asked.set(key, { id, method, params });
      refuse(state, call, needed);
    }
    return;
  }
  call.asked.set(key, { id, method, params });
  if (call.isAsking) return;
  // What is asked in one turn is asked together.
  call.isAsking = true;
  setImmediate(() => void askClient(state, call));
}

const CAPABILITIES: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** The call needs what its client cannot do. */
function refuse(state: State, call: Running, capability: string): void {
  const message = `expected a client that declares ${capability}, which this call needs`;
  const data = { requiredCapabilities: { [capability]: {} } };
  cancel(state, call, message);
  call.out?.answer(errorAnswer(ERA_CODES.missingCapability, message, data), 400);
}

function answerQuestion({ link }: State, id: number, answer: Answer): void {
  const text = responseText(id, answer);
  queueMicrotask(() => link.receive({ kind: 'response', raw: { id }, text }));
}

async function askClient(state: State, call: Running): Promise<void> {
  const { out } = call;
  call.isAsking = false;
  if (call.asked.size === 0 || out === undefined || !state.running.has(call.id)) return;
  const asked = [...call.asked].map(([key, { method, params }]) => [key, { method, params }]);
  const requestState = await state.init.calls.keep(waitingCall(state, call), call.binding);
  if (call.out !== out || !state.running.has(call.id)) return;
  call.out = undefined;
  const inputRequests = Object.fromEntries(asked) as JsonObject;
  out.answer(resultAnswer({ resultType: 'input_required', inputRequests, requestState }));
}

function waitingCall(state: State, call: Running): WaitingCall {
  return {
    abort(reason) {
      if (state.running.has(call.id)) cancel(state, call, reason.message);
    },
    resume(out, responses) {
      call.out = out;
      if (call.done !== undefined) return finish(state, call, call.done);
      if (!state.running.has(call.id))
        return finish(state, call, errorAnswer(WIRE_CODES.internal, 'the call has ended'));
      for (const [key, response] of Object.entries(responses)) {
        const one = call.asked.get(key);
        if (one === undefined) continue;
        call.asked.delete(key);
        answerQuestion(state, one.id, resultAnswer(response));
      }
      if (call.asked.size > 0) void askClient(state, call);
    },
  };
}

/** Progress and log messages go to their request, changes to those who listen. */
function told({ listens }: State, text: string, call: Running | undefined): void {
  const { method, params = {} } = JSON.parse(text) as { method: string; params?: JsonObject };
  if (call === undefined) {
    listens.tell(method, params);
    return;
  }
  const numbered = numberedIn(params);
  call.numbers ??= createRenumbering();
  call.numbers.heard(numbered);
  const level = LEVELS.indexOf(String(params['level']));
  if (method === 'notifications/message' && (call.level === -1 || level < call.level)) return;
  // What comes while the client has no request open is lost, and leaves a gap.
  const next = numbered === undefined ? undefined : call.numbers.next(numbered.route);
  call.out?.tell(notificationText(method, withNumber(memberText(text, 'params') ?? '{}', next)));
}

/** A call goes on for the same party, method and arguments alone. */
function bindingOf(party: Party, { method, params }: IncomingRequest): CallBinding {
  const { _meta, [RETRY.responses]: _responses, [RETRY.state]: _state, ...rest } = params;
  return { party, method, params: rest as JsonObject };
}

function discovered(greeting: Answer): Answer {
  if (greeting.kind === 'error') return modernAnswer('server/discover', greeting);
  const { capabilities, serverInfo, instructions } = JSON.parse(greeting.text) as JsonObject;
  return resultAnswer({
    resultType: 'complete',
    supportedVersions: [MODERN_REVISION],
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: MCP_LIMITS.listTtlMs,
    cacheScope: 'private',
    _meta: { [ENVELOPE.serverInfo]: serverInfo },
  });
}
