// The page that an agent serves to operators (TS-12), server side. Each request becomes one call at the agent's own gate, so audit,
// limits and refusals are those of MCP. Refuses every party but operators, every request that a page of another origin sends with an
// operator's certificate, and every name that is not this node's.
import type { JsonObject } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { CallGate } from '#model/ports.ts';
import type { WebPages, WebReply, WebRequest } from '#model/web.ts';
import { ask } from './ask.ts';
import { createAssets } from './assets.ts';
import { callTool, errorOf, type Refusal } from './call-tool.ts';
import { CHANGE_CALLS, changeTool } from './change-tools.ts';
import { secured } from './headers.ts';
import { isOwnHost } from './own-host.ts';
import { sendReport } from './send-report.ts';

export type ConsoleInit = {
  /** Name of this node. */
  readonly node: string;
  /** Names beside addresses and `localhost` by which browsers reach it: `hostNamesOf`. */
  readonly names: readonly string[];
  readonly gate: CallGate;
  readonly log: Log;
};

const REPORTS = '/console/reports';
/** What the page reads by a path of its own: the tool whose answer it is. */
const READS: ReadonlyMap<string, string> = new Map([
  [REPORTS, 'parley-report-list'],
  ['/console/links', 'parley-topology'],
  ['/console/waiting', 'parley-approvals'],
]);

export function createConsole(init: ConsoleInit): WebPages {
  const assets = createAssets();
  const { gate, log } = init;

  /** `more`: beside what the tool answers. */
  const read = async (request: WebRequest, tool: string, more: JsonObject = {}): Promise<WebReply> => {
    const answered = await callTool(gate, request, tool, {});
    return answered.ok ? json(200, { ...answered.body, ...more }) : refusedCall(answered.refusal);
  };
  const change = async (request: WebRequest, tool: string): Promise<WebReply> => {
    const body = await request.readJson();
    if (!body.ok) return problem(body.status, body.reason);
    const answered = await callTool(gate, request, tool, body.value);
    return answered.ok ? json(200, answered.body) : refusedCall(answered.refusal);
  };
  const data = (request: WebRequest): Promise<WebReply> | undefined => {
    if (request.path === '/console/peers')
      return read(request, 'parley-peers', { node: init.node, operator: request.party.name });
    const tool = READS.get(request.path);
    if (tool !== undefined) return read(request, tool);
    if (request.path.startsWith(`${REPORTS}/`))
      return sendReport(gate, request, request.path.slice(REPORTS.length + 1), refusedCall);
    return undefined;
  };

  return {
    serves: (path) => path === '/' || path.startsWith('/console/'),
    async handle(request) {
      if (request.party.kind !== 'operator') return denied('expected the certificate of an operator, got another');
      if (!isOwnHost(request.host, init.names))
        return denied(
          'expected a Host that is an address or a name of this node (of its certificate or of listen.names), got another',
        );
      if (request.path === '/console/ask') {
        const fault = await foreign(request);
        return fault ?? ask(gate, request, log);
      }
      if (request.path.startsWith(CHANGE_CALLS)) {
        const tool = changeTool(request.path);
        if (tool === undefined) return problem(404, 'expected a call that this page makes, got another');
        const fault = await foreign(request);
        return fault ?? change(request, tool);
      }
      if (request.method !== 'GET') return problem(405, 'expected GET, got another method', { allow: 'GET' });
      const asset = await assets.load(request.path);
      if (asset !== undefined) return { status: 200, headers: secured(asset.type), body: asset.text };
      if (isCrossSite(request)) return denied('expected a request of this page, got one of another site');
      return data(request) ?? problem(404, 'expected a path of this page, got another');
    },
  };
}

/**
 * A question probes the network on the operator's behalf, and a change changes it. A page of another origin could send one with the operator's certificate:
 * the browser then names that origin in `Origin`, which no page can change, and sends a preflight before JSON.
 */
async function foreign(request: WebRequest): Promise<WebReply | undefined> {
  if (request.method !== 'POST') return problem(405, 'expected POST, got another method', { allow: 'POST' });
  const origin = request.header('origin');
  if (request.host === undefined || origin !== `https://${request.host}`)
    return denied('expected an Origin equal to the Host, got another or none');
  if (isCrossSite(request)) return denied('expected a request of this page, got one of another site');
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : problem(415, 'expected application/json, got another media type');
}

/** Browsers state where a request comes from; `none` is the address bar. Other programs send no such header. */
function isCrossSite(request: WebRequest): boolean {
  return !['same-origin', 'none', undefined].includes(request.header('sec-fetch-site'));
}

function denied(reason: string): WebReply {
  return { ...problem(403, reason), refused: reason };
}

function problem(status: number, reason: string, headers: Readonly<Record<string, string>> = {}): WebReply {
  return { ...json(status, { error: { reason } }), headers: secured('application/json', headers) };
}

function refusedCall(refusal: Refusal): WebReply {
  return json(refusal.status, { error: errorOf(refusal) });
}

function json(status: number, body: JsonObject): WebReply {
  return { status, headers: secured('application/json'), body: JSON.stringify(body) };
}
