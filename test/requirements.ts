// Every requirement Parley builds towards: its id, level, state and summary in our own words, and a scanner for the
// tests that cite it. An id that is not built is listed as open, never absent. The gate is test/requirements.test.ts.
import { lineAt, listFiles, ROOT, readSource, type SourceFile } from '../scripts/source-files.ts';

export type State = 'done' | 'partial' | 'open';
export type Level = 'must' | 'should' | 'may';

export type Requirement = {
  readonly id: string;
  readonly level: Level;
  readonly state: State;
  readonly summary: string;
  /** For `partial`: what is missing. */
  readonly missing?: string;
};

export type Citation = { readonly id: string; readonly file: string; readonly line: number; readonly name: string };

export const FAMILIES = {
  CARD: 'Outline of the project',
  TS: 'Troubleshooting by intent, device to device',
  NET: 'MCP for network equipment',
  AX: 'Aggregation in levels',
} as const;

/** One line each: id | level | state | summary | what is missing (partial only). */
const TABLE = `
CARD-1 | must | done | Every node runs one agent that is MCP client and MCP server, on port 9514.
CARD-2 | must | done | Peers are found through descriptors in LLDP and IS-IS TLVs.
CARD-3 | must | done | Capability intersections are negotiated over mutual TLS.
CARD-4 | must | done | Signed calls go out to all nodes at once.
CARD-5 | must | done | A language model on the node takes part in correlating the results.
CARD-6 | must | done | A signed roll-up report is stored and served as an MCP resource.
CARD-7 | must | done | An operator may put an intent to any node.
CARD-8 | must | done | Controllers fetch reports after they are back.
CARD-9 | must | done | Simulations of several nodes are containerlab topologies.
CARD-10 | must | done | It installs on each router or VM.
CARD-11 | must | done | TypeScript, the six named packages, and the named top-level folders.
TS-1 | must | done | YANG data as resources \`mcp://<device>/<module>:<path>\`, read as RFC 7951 JSON.
TS-2 | should | done | Resources carry a content-id, so that what has not changed is not sent again.
TS-3 | must | done | Tools for what devices can do already (ping, traceroute, tracepath, clear counters, roll back, tcpdump), each described as an OpenAPI operation.
TS-4 | must | done | Prompt templates on the device with places to fill; operators add their own as files.
TS-5 | may | done | The device may ask the client's model, each request approved by a person.
TS-6 | must | done | Resources for YANG datastores, syslog and tech-support.
TS-7 | must | done | Negotiation names YANG modules, command sets and tool schemas; clients name sampling and roots.
TS-7a | must | done | An intent is a sentence, or structured YAML or JSON.
TS-8 | must | done | "Verify reachability between Site-A and Site-B" finds loss and the MTU mismatch, where it is, and a remedy.
TS-9 | must | done | "Diagnose why BGP neighbor … is down" finds the filter that denies port 179 and offers the remedy.
TS-10 | must | done | The agent is client and server, with mutual TLS and capability negotiation below the messages.
TS-11 | must | done | One intent on one device is enough: the agent makes the calls and rolls up the report by itself.
TS-12 | must | done | The operator types the sentence in a chat window that the head node serves; the SID list is taken from it.
TS-13 | must | done | The discovery TLV carries port, capabilities and certificate thumbprint; peers answer with theirs.
TS-14 | must | done | TLS 1.3 with certificates on both sides, then a negotiation: MCP initialize between agents, \`mcp/initialize\` for others; the intersection authorises exactly what it contains.
TS-14a | must | done | A white-list of capabilities that neighbours may call.
TS-15 | must | done | Local and remote calls run in parallel, as MCP between agents: \`ietf-srv6-ping\` and others. \`/mcp/tool/call\` and \`/mcp/resource/read\` are served.
TS-16 | must | done | Each answer carries an Ed25519 signature over the result and a monotonic nonce.
TS-17 | must | done | The model on the node answers in one sentence; the structured hypothesis joins a list of candidates.
TS-18 | must | done | The report resource has creator, created, hypothesis, evidence and signatures.
TS-19 | must | done | An operator who is on-line sees the hypothesis and is asked before anything is changed.
TS-20 | must | partial | Reports are pushed to a reachable controller, and otherwise kept until the next sync. | pushing; reports wait on the node until a controller fetches and acknowledges them.
TS-21 | must | partial | A node that times out or fails authentication is marked untrusted; the controller polls it where it can. | polling by the controller; nodes are marked and the rest is used.
TS-22 | must | done | All temporary state is undone at once.
TS-23 | must | done | JSON-RPC 2.0 over TLS 1.3 on TCP or QUIC.
TS-24 | must | done | Short-lived X.509 device certificates, with SPAKE2+ tokens for onboarding without touch.
TS-25 | must | done | YANG data as RFC 7951 JSON unless XML is asked for.
TS-26 | may | done | Large files stream over HTTP/2, with their SHA-256 in the result.
TS-27 | may | done | Long tools report progress.
TS-28 | must | done | Every change is confirmed out of band by an authenticated person, in a signed consent object.
TS-29 | must | done | Short-lived OAuth tokens for subtrees or tools, bound to the TLS channel.
TS-30 | must | done | The model has no path to a device: it answers, nothing more.
TS-31 | must | done | Every request and response goes to an append-only audit trail under one session-id across devices.
TS-32 | must | done | Customer data is redacted by default; level 3 needs consent.
TS-33 | must | done | Well-known URI suffix \`mcp\` and the YANG module \`ietf-mcp\`.
TS-34 | must | done | Subscriptions take a content-id and answer with an id and the initial content.
NET-1 | must | done | \`capabilities.network\` in the initialize result, true of the device behind it.
NET-2 | must | done | Eight \`network.*\` tools, all listed, with JSON Schema.
NET-3 | must | done | A device with only a command line lists the YANG tools as not available; our client and prompts ask its command line instead.
NET-4 | must | done | The \`network:///\` resources with the media types of the draft.
NET-5 | must | done | Reading, and subscribing to what changes.
NET-6 | must | done | Large lists come in pages by cursor; generic clients get a link to the rest.
NET-7 | may | done | Candidate and start-up configuration can be written as resources, validated before commit.
NET-8 | may | done | Unit, precision and hardware slot in \`_meta\`.
NET-9 | must | done | Three troubleshooting and configuration prompts with embedded tool calls and follow-up.
NET-10 | may | done | Prompt descriptors carry types, ranges and patterns.
NET-11 | may | done | Prompts that stream step by step.
NET-12 | must | done | A prompt that commits asks for confirmation first.
NET-13 | must | done | The draft's error codes, with detail, path and retryPossible; SNMP is not spoken, so its code is never sent.
NET-14 | must | done | TLS over TCP, ALPN \`mcp\`, length-prefixed JSON-RPC frames, \`close\` ends the session.
NET-15 | must | done | Candidate edits, confirmed commit, and automatic rollback across crash and lost session.
NET-16 | must | done | Roles decide who may configure.
NET-17 | should | done | Disruptive changes use a confirmed commit.
NET-18 | must | partial | Secrets are redacted in logs, traces and results. | a plain word as a secret, under a name that the tables of redaction do not know.
NET-19 | must | done | A generic MCP client notices none of it and keeps working.
NET-20 | must | done | Subscription ids, updates with contents, unsubscribing by id.
AX-1 | must | done | Unmodified MCP clients talk to an aggregator.
AX-2 | must | done | Aggregators register with aggregators, eight levels and more.
AX-3 | must | done | Names in segments, with a one-to-one mapping of foreign names.
AX-4 | must | done | \`mcpax/register\`: first registered wins, conflicts are answered.
AX-5 | should | done | Claims to namespaces with changing tools are proven by JWT or certificate.
AX-6 | must | done | Heartbeats, deregistration, and tools gone within one interval.
AX-7 | must | done | A merged, prefixed and cached tool list, and routing by table.
AX-8 | must | done | Cycles are found at registration.
AX-9 | must | done | Cursors are routed; results pass unmodified, with the latency beside them.
AX-10 | should | done | Timeouts by latency class.
AX-11 | must | open | Bridges for UART, BLE, SPI, CAN and MQTT.
AX-12 | must | open | The CBOR mapping, checked against schemas at the gateway.
AX-13 | must | open | Stub profiles A and B, with reference stubs in C.
AX-13a | must | open | The gateway registers, beats, buffers and retries for its stubs.
AX-14 | must | done | Capability annotations pass unmodified; hops are added, latency only raised.
AX-15 | must | done | Each hop authenticates by itself, with its certificate or a token for that hop (RFC 8707); credentials are never passed on.
AX-16 | must | done | Irreversible tools wait behind a gate for a proven confirmation.
AX-17 | must | done | Budgets for calls, changes and cost.
AX-18 | must | done | Notifications are prefixed, ordered, numbered at each hop, limited and buffered; what is lost is said.
AX-19 | must | done | Lost subservers, degraded mode, backup aggregator, convergence within three heartbeats.
AX-20 | must | done | A subserver is registered with one aggregator of the tree at a time.
`;

export const REQUIREMENTS: readonly Requirement[] = parseTable(TABLE);

/** Reads the table above; throws on a row that is not one. */
export function parseTable(table: string): Requirement[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', level = '', state = '', summary = '', missing] = line.split(' | ');
      if (!/^[A-Z]+-\d+a?$/.test(id) || !/^(must|should|may)$/.test(level) || !/^(done|partial|open)$/.test(state)) {
        throw new Error(`expected "id | level | state | summary", got "${line}"`);
      }
      const requirement = { id, level: level as Level, state: state as State, summary };
      return missing === undefined ? requirement : { ...requirement, missing };
    });
}

/** Ids in brackets in the names of tests: `test('keeps a nonce [TS-16]', …)` or `[TS-13, CARD-2]`. */
export function citationsOf(file: SourceFile): Citation[] {
  const found: Citation[] = [];
  for (const call of file.bare.matchAll(/(?<![\w$])(?:test|it|describe|suite)(?:\.\w+)?\(\s*(['"`])/g)) {
    const open = call.index + call[0].length;
    const name = file.code.slice(open, file.bare.indexOf(call[1] ?? '', open));
    for (const group of name.matchAll(/\[([^\]]*)\]/g)) {
      for (const id of (group[1] ?? '').split(/[,;\s]+/)) {
        if (/^(?:CARD|TS|NET|AX)-/.test(id))
          found.push({ id, file: file.path, line: lineAt(file.text, call.index), name });
      }
    }
  }
  return found;
}

export function collectCitations(): Citation[] {
  const files = listFiles(ROOT, ['test'], '.ts').filter((path) => !path.startsWith('test/requirements.'));
  return files.flatMap((path) => citationsOf(readSource(ROOT, path)));
}

/** What is wrong between the table and the tests; empty when nothing is. */
export function faultsBetween(requirements: readonly Requirement[], citations: readonly Citation[]): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const { id, state, missing } of requirements) {
    if (known.has(id)) faults.push(`${id} is listed twice`);
    known.add(id);
    if (state !== 'open' && !citations.some((citation) => citation.id === id))
      faults.push(`${id} is ${state}, but no test cites it`);
    if ((state === 'partial') !== (missing !== undefined))
      faults.push(`${id} is ${state}: only a partial one says what is missing`);
  }
  for (const { id, file, line } of citations) {
    if (!known.has(id)) faults.push(`${file}:${line} cites ${id}, which is not in the table`);
  }
  return faults;
}

/** The text of docs/requirements.md. */
export function renderRequirements(requirements: readonly Requirement[], citations: readonly Citation[]): string {
  const count = (state: State) => requirements.filter((entry) => entry.state === state).length;
  const lines = [
    '# Requirements',
    '',
    'Written by `npm run requirements` from `test/requirements.ts` and the names of the tests; a test fails when it is stale.',
    'The ids and levels are those of the three Internet-Drafts that Parley implements, and of its own outline (CARD).',
    '',
    `${count('done')} done, ${count('partial')} partial, ${count('open')} open.`,
  ];
  for (const [family, title] of Object.entries(FAMILIES)) {
    lines.push(
      '',
      `## ${family}: ${title}`,
      '',
      '| id | level | state | requirement | tests |',
      '|---|---|---|---|---|',
    );
    for (const { id, level, state, summary, missing } of requirements.filter((entry) =>
      entry.id.startsWith(`${family}-`),
    )) {
      const files = [...new Set(citations.filter((citation) => citation.id === id).map(({ file }) => file))].sort();
      const links = files.map((file) => `[${file.replace(/^test\/|\.test\.ts$/g, '')}](../${file})`).join(', ');
      lines.push(`| ${id} | ${level} | ${state} | ${summary}${missing ? ` *Missing: ${missing}*` : ''} | ${links} |`);
    }
  }
  return `${lines.join('\n')}\n`;
}
