// A server of MCP 2026-07-28 as a peer of the older revisions sees it: requests get their envelope, what the server wants to know becomes
// questions that belong to their call, and the answers a further round of it.
import type { Clock } from '#base/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { memberText, withMember, withoutMembers } from '#codec/json-members.ts';
import { MODERN_REVISION, nameHeader } from '#mcp/modern/era.ts';
import { paramHeaders, paramHeadersOf } from '#mcp/modern/param-headers.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';
import { objectOf } from '../names/capability.ts';
import type { About, Link } from '../wire/link.ts';
import {
  type Answer,
  answerOf,
  errorAnswer,
  type Incoming,
  notificationText,
  requestText,
  responseText,
  resultAnswer,
} from '../wire/message.ts';
import { ENVELOPE, olderAnswer, RETRY, withEnvelope } from './envelope.ts';
import { createLeafListen, type LeafListen } from './leaf-listen.ts';
import { oddHeader } from './odd-header.ts';

/** The transport below; `abandon` where a request is given up by ending its stream. */
export type LeafTransport = Link & { readonly abandon?: (id: number) => void };

export type LeafSession = {
  send(text: string, about: About): void;
  receive(message: Incoming, related: unknown): void;
  failed(id: number, reason: string): void;
  stop(): void;
};

export type LeafSessionInit = {
  readonly clock: Clock;
  readonly below: LeafTransport;
  readonly above: Link;
  readonly capabilities: JsonObject;
  /** Hears of tools that are left out. */
  readonly onOdd?: ((tool: string, reason: string) => void) | undefined;
};

/** One request of the peer above, over all of its rounds. */
type Open = {
  readonly method: string;
  readonly paramsText: string;
  rounds: number;
  /** Of its latest round: each has an id of its own. */
  sentAs: number;
  /** Answers by key, of what was asked last; and what is still to be answered. */
  readonly answers: Map<string, JsonValue>;
  readonly asked: Map<string, string>;
  state: string | undefined;
};

type State = LeafSessionInit & {
  readonly open: Map<number, Open>;
  /** Ids of pings; they are `server/discover` here. */
  readonly pings: Set<number>;
  readonly listen: LeafListen;
  /** Which call a further round belongs to. */
  readonly rounds: Map<number, number>;
  /** Tools that were left out, and named once. */
  readonly odd: Set<string>;
  /** Which call and key a question belongs to. */
  readonly questions: Map<string, { readonly id: number; readonly key: string }>;
  /** Schemas of the server's tools by name, as it has listed them: some of their arguments stand in headers. */
  readonly schemas: Map<string, JsonObject>;
  /** Tools of the list that is being read. */
  readonly listed: Set<string>;
  logLevel: string | undefined;
  nextOwn: number;
};

export function createLeafSession(init: LeafSessionInit): LeafSession {
  const { below } = init;
  const listen = createLeafListen({
    clock: init.clock,
    send(params) {
      const id = state.nextOwn--;
      post(state, id, 'subscriptions/listen', JSON.stringify(params));
      return id;
    },
    cancel: (id) => giveUp(below, id),
  });
  const state: State = {
    ...init,
    open: new Map(),
    pings: new Set(),
    listen,
    rounds: new Map(),
    odd: new Set(),
    questions: new Map(),
    schemas: new Map(),
    listed: new Set(),
    logLevel: undefined,
    nextOwn: -2,
  };
  return {
    send(text, about) {
      if (about.kind === 'request') sendRequest(state, text, about.id);
      else if (about.kind === 'response') answerQuestion(state, String(about.id), text);
      else tell(state, text);
    },
    receive: (message) => hear(state, message),
    failed(id, reason) {
      if (listen.ended(id)) return;
      settle(state, callOf(state, id), errorAnswer(WIRE_CODES.unreachable, 'Network.Unreachable', { detail: reason }));
    },
    stop: listen.stop,
  };
}

function post(state: State, id: number, method: string, paramsText: string): void {
  const { below, capabilities, logLevel, schemas } = state;
  const params = JSON.parse(paramsText) as JsonObject;
  const name = nameHeader(method, params);
  const headers = {
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
    ...(method === 'tools/call'
      ? paramHeaders(schemas.get(String(params['name'])) ?? {}, objectOf(params['arguments']))
      : {}),
  };
  below.send(requestText(id, method, withEnvelope(paramsText, capabilities, logLevel)), {
    kind: 'request',
    id,
    headers,
  });
}

function giveUp(below: LeafTransport, id: number): void {
  if (below.abandon !== undefined) {
    below.abandon(id);
    return;
  }
  below.send(notificationText('notifications/cancelled', JSON.stringify({ requestId: id })), {
    kind: 'notification',
    related: id,
  });
}

function sendRequest(state: State, text: string, id: number): void {
  const { method, params = {} } = JSON.parse(text) as { method: string; params?: JsonObject };
  const answer = (given: Answer) => deliver(state, id, given);
  const uri = String(params['uri']);
  switch (method) {
    case 'ping':
      state.pings.add(id);
      post(state, id, 'server/discover', '{}');
      return;
    case 'resources/subscribe':
      return void state.listen.subscribe(uri).then(() => answer(resultAnswer({})));
    case 'resources/unsubscribe':
      return void state.listen.unsubscribe(uri).then(() => answer(resultAnswer({})));
    case 'logging/setLevel':
      state.logLevel = String(params['level']);
      answer(resultAnswer({}));
      return;
    default: {
      const paramsText = memberText(text, 'params') ?? '{}';
      const begun = { rounds: 0, sentAs: id, answers: new Map(), asked: new Map(), state: undefined };
      state.open.set(id, { method, paramsText, ...begun });
      post(state, id, method, paramsText);
    }
  }
}

function tell(state: State, text: string): void {
  const { method, params = {} } = JSON.parse(text) as { method: string; params?: JsonObject };
  if (method === 'notifications/initialized') void state.listen.open();
  if (method !== 'notifications/cancelled') return;
  const id = Number(params['requestId']);
  const sentAs = state.open.get(id)?.sentAs ?? id;
  drop(state, id);
  giveUp(state.below, sentAs);
}

/** The call that a request of this id is a round of. */
const callOf = ({ rounds }: State, id: number): number => rounds.get(id) ?? id;

/** Forgets a request, and what was asked for it. */
function drop({ open, questions, rounds }: State, id: number): void {
  const call = open.get(id);
  for (const question of call?.asked.values() ?? []) questions.delete(question);
  if (call !== undefined) rounds.delete(call.sentAs);
  open.delete(id);
}

function hear(state: State, message: Incoming): void {
  if (message.kind === 'notification') {
    hearNotification(state, message);
    return;
  }
  // This revision has no requests of servers.
  if (message.kind !== 'response') return;
  const id = message.raw['id'];
  const answer = answerOf(message.text);
  if (typeof id !== 'number' || !answer.ok) return;
  if (!state.listen.ended(id)) settle(state, callOf(state, id), answer.value);
}

function hearNotification(state: State, message: Extract<Incoming, { kind: 'notification' }>): void {
  const { method, params, text } = message;
  const meta = objectOf(params['_meta']);
  const listen = meta[ENVELOPE.subscription];
  if (method === 'notifications/subscriptions/acknowledged') {
    state.listen.acknowledged(Number(listen));
    return;
  }
  if (listen === undefined) {
    state.above.receive(message);
    return;
  }
  const { [ENVELOPE.subscription]: _, ...rest } = meta;
  const told = memberText(text, 'params') ?? '{}';
  const paramsText =
    Object.keys(rest).length === 0 ? withoutMembers(told, ['_meta']) : withMember(told, '_meta', JSON.stringify(rest));
  const given = JSON.parse(paramsText) as JsonObject;
  state.above.receive({ ...message, params: given, text: notificationText(method, paramsText) });
}

function settle(state: State, id: number, answer: Answer): void {
  if (state.pings.delete(id)) {
    deliver(state, id, answer.kind === 'error' ? answer : resultAnswer({}));
    return;
  }
  const call = state.open.get(id);
  const result = answer.kind === 'result' && call !== undefined ? objectOf(JSON.parse(answer.text) as JsonValue) : {};
  if (call !== undefined && result['resultType'] === 'input_required') {
    ask(state, id, call, result);
    return;
  }
  if (call?.method === 'tools/list') keepSchemas(state, call, result);
  drop(state, id);
  const isList = call?.method === 'tools/list' && answer.kind === 'result';
  deliver(state, id, olderAnswer(isList ? withoutOdd(state, result, answer) : answer));
}

/** The list as it came, or without the tools that must not be used over HTTP. */
function withoutOdd(state: State, result: JsonObject, answer: Answer): Answer {
  if (state.below.abandon === undefined || !Array.isArray(result['tools'])) return answer;
  const tools = result['tools'] as readonly JsonValue[];
  const kept = tools.filter((tool) => {
    const { name, inputSchema } = objectOf(tool);
    const reason = oddHeader(inputSchema);
    if (reason !== undefined) tellOdd(state, String(name), reason);
    return reason === undefined;
  });
  return kept.length === tools.length
    ? answer
    : { kind: 'result', text: withMember(answer.text, 'tools', JSON.stringify(kept)) };
}

/** Lists are read again every minute: the log has each tool once. */
function tellOdd({ odd, onOdd }: State, tool: string, reason: string): void {
  if (odd.has(tool)) return;
  odd.add(tool);
  onOdd?.(tool, reason);
}

function keepSchemas({ schemas, listed }: State, { paramsText }: Open, { tools, nextCursor }: JsonObject): void {
  // The first page of a list begins it anew; a tool of a later page is called as before until that page has come.
  if (memberText(paramsText, 'cursor') === undefined) listed.clear();
  for (const tool of Array.isArray(tools) ? (tools as readonly JsonValue[]) : []) {
    const { name, inputSchema } = objectOf(tool);
    if (typeof name !== 'string' || listed.has(name) || listed.size >= AGGREGATE_LIMITS.offersPerSubserver) continue;
    listed.add(name);
    const schema = objectOf(inputSchema);
    if (paramHeadersOf(schema).length > 0) schemas.set(name, schema);
    else schemas.delete(name);
  }
  if (nextCursor === undefined) for (const name of schemas.keys()) if (!listed.has(name)) schemas.delete(name);
}

function deliver({ above }: State, id: number, answer: Answer): void {
  queueMicrotask(() => above.receive({ kind: 'response', raw: { id }, text: responseText(id, answer) }));
}

function ask(state: State, id: number, call: Open, result: JsonObject): void {
  call.rounds += 1;
  call.answers.clear();
  call.state = typeof result['requestState'] === 'string' ? result['requestState'] : undefined;
  const requests = Object.entries(objectOf(result['inputRequests'])).slice(0, AGGREGATE_LIMITS.aggregatedRequests);
  if (call.rounds > AGGREGATE_LIMITS.inputRounds || (requests.length === 0 && call.state === undefined)) {
    drop(state, id);
    const detail = `expected at most ${AGGREGATE_LIMITS.inputRounds} rounds of questions, each with one`;
    deliver(state, id, errorAnswer(WIRE_CODES.internal, 'Internal error', { detail }));
    return;
  }
  for (const [key, request] of requests) {
    const { method, params } = objectOf(request);
    if (typeof method !== 'string') continue;
    const question = `${id}/${call.rounds}/${key}`;
    call.asked.set(key, question);
    state.questions.set(question, { id, key });
    const given = params !== undefined && isJsonObject(params) ? params : {};
    const text = requestText(question, method, JSON.stringify(given));
    state.above.receive({ kind: 'request', id: question, method, params: given, raw: {}, text }, id);
  }
  if (call.asked.size === 0) again(state, id, call);
}

function answerQuestion(state: State, question: string, text: string): void {
  const found = state.questions.get(question);
  const call = found === undefined ? undefined : state.open.get(found.id);
  const answer = answerOf(text);
  if (found === undefined || call === undefined || !answer.ok) return;
  state.questions.delete(question);
  call.asked.delete(found.key);
  if (answer.value.kind === 'error') {
    // This revision cannot tell a server that its question was refused: the call ends with the reason.
    drop(state, found.id);
    deliver(state, found.id, answer.value);
    return;
  }
  call.answers.set(found.key, JSON.parse(answer.value.text) as JsonValue);
  if (call.asked.size === 0) again(state, found.id, call);
}

/** The next round: the same request with the answers, under an id of its own. */
function again(state: State, id: number, call: Open): void {
  let paramsText = call.paramsText;
  if (call.answers.size > 0)
    paramsText = withMember(paramsText, RETRY.responses, JSON.stringify(Object.fromEntries(call.answers)));
  if (call.state !== undefined) paramsText = withMember(paramsText, RETRY.state, JSON.stringify(call.state));
  state.rounds.delete(call.sentAs);
  call.sentAs = state.nextOwn--;
  state.rounds.set(call.sentAs, id);
  post(state, call.sentAs, call.method, paramsText);
}
