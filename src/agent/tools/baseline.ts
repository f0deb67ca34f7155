// The tools behind `parley baseline`: an operator shows, saves and clears what this node expects of the network. Saves only from a verified
// `healthy` report of this node, or the links of a topology: never from a state with a fault in it.
import { type Clock, isoTime } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { BASELINE_SCHEMA_VERSION, type Baseline, type BaselineStore } from '#model/baseline.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { isNodeName, type LinkEnd, linkResource } from '#model/names.ts';
import type { ReportStore, Signer } from '#model/ports.ts';
import type { Report } from '#model/report.ts';
import { PROFILE_PARTS, type Profile, type ProfileEntry } from '#model/snapshot.ts';
import type { Identity } from '#mtls/identity.ts';
import { createBaselineStore } from '#report/baseline-store.ts';
import { boundKeyOf, type ChainVerifier } from '#report/countersign.ts';
import { sealedReportText } from '#report/seal.ts';
import { verifySealedReport } from '#report/verify.ts';
import { AGENT_LIMITS } from '../limits.ts';

const BASELINE_TOOL = 'parley-baseline';
const BASELINE_CHANGE_TOOL = 'parley-baseline-change';

export type BaselineParts = {
  readonly node: string;
  readonly baselines: BaselineStore;
  readonly store: ReportStore;
  readonly verifyChain: ChainVerifier;
  readonly clock: Pick<Clock, 'nowMs'>;
};

export type BaselinePartInit = Omit<BaselineParts, 'node' | 'baselines'> & {
  readonly dir: string;
  readonly identity: Pick<Identity, 'party'>;
  readonly signer: Signer;
};

/** The store, with files that this node signs and only this node reads, and the tools that show and change it. */
export function createBaselinePart({ dir, identity, signer, ...parts }: BaselinePartInit) {
  const key = boundKeyOf(identity.party);
  if (!key.ok) throw new ParleyError('caller/wrong-identity', `expected an identity that binds a key: ${key.reason}`);
  const { node } = signer;
  const baselines = createBaselineStore({ dir, node, signer, publicKey: key.value });
  return { baselines, tools: createBaselineTools({ ...parts, node, baselines }), resources: [] };
}

function createBaselineTools(parts: BaselineParts): readonly ToolDefinition[] {
  return [showTool(parts), changeTool(parts)];
}

const COMMON = {
  capability: BASELINE_TOOL,
  outputSchema: {
    type: 'object',
    properties: {
      baselines: { type: 'array', items: { type: 'object' } },
      refused: { type: 'array', description: 'Files that are not used, and why' },
      preview: { type: 'object' },
    },
    required: ['baselines'],
  },
  callers: ['operator'],
  listing: 'extended',
} as const;

function showTool(parts: BaselineParts): ToolDefinition {
  const { baselines } = parts;
  return {
    ...COMMON,
    name: BASELINE_TOOL,
    title: 'Show the baseline',
    description: 'What this node expects of the network: known-good profiles that answers are compared with.',
    mutability: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        source: { enum: ['report', 'topology'], description: 'Shows its entries, a page at a time.' },
        preview: { type: 'boolean', description: 'Shows what would be saved, and what is odd about it.' },
        report: {
          type: 'string',
          maxLength: 64,
          description: 'Of the preview: id; the newest that will do without it.',
        },
        offset: {
          type: 'integer',
          minimum: 0,
          maximum: LIMITS.baselineEntries,
          description: 'First entry of the page.',
        },
      },
      additionalProperties: false,
    },
    call: async (args) => ({
      ...(await summaries(baselines)),
      ...(await entriesOf(baselines, args)),
      ...(args['preview'] === true ? { preview: await previewOf(args['report'], parts) } : {}),
    }),
  };
}

function changeTool(parts: BaselineParts): ToolDefinition {
  const end = {
    type: 'object',
    properties: {
      node: { type: 'string', maxLength: 63, description: 'Name of a node' },
      ifname: { type: 'string', maxLength: 64, description: 'Its interface' },
    },
    required: ['node', 'ifname'],
    additionalProperties: false,
  };
  return {
    ...COMMON,
    name: BASELINE_CHANGE_TOOL,
    title: 'Change the baseline',
    description: 'Saves a healthy report of this node, or the links of a topology, as the baseline; or clears it.',
    // Leaves the device alone, but changes what this node calls a fault: more than reading.
    mutability: 'probe',
    changesState: true,
    inputSchema: {
      type: 'object',
      properties: {
        action: { enum: ['save', 'import', 'clear'], description: 'save takes a report, import the links.' },
        report: { type: 'string', maxLength: 64, description: 'Id; the newest that will do without it.' },
        name: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[ -~]+$', description: 'Of the topology.' },
        links: {
          type: 'array',
          description: 'Of the topology: the two ends of each link.',
          maxItems: LIMITS.scopeLinks * 4,
          items: {
            type: 'object',
            properties: { a: { ...end, description: 'One end' }, b: { ...end, description: 'The other' } },
            required: ['a', 'b'],
            additionalProperties: false,
          },
        },
      },
      required: ['action'],
      additionalProperties: false,
    },
    call: async (args, { caller }) => {
      if (args['action'] === 'clear') await parts.baselines.clear();
      else {
        const made = args['action'] === 'save' ? await fromReport(args['report'], parts) : fromTopology(args);
        const saved = isoTime(parts.clock.nowMs());
        const head = { schemaVersion: BASELINE_SCHEMA_VERSION, node: parts.node, saved, by: caller.name } as const;
        await parts.baselines.save({ ...head, ...made });
      }
      return summaries(parts.baselines);
    },
  };
}

/** Without the entries: those of a large network do not fit into a message. */
async function summaries(store: BaselineStore): Promise<JsonObject> {
  const { baselines, refused } = await store.load();
  return {
    baselines: baselines.map(({ profile, ...head }) => ({
      ...head,
      nodes: profile.nodes,
      counts: Object.fromEntries(
        PROFILE_PARTS.map((part) => [part, profile.entries.filter((entry) => entry.part === part).length]),
      ),
      roundTrips: profile.roundTrips.length,
    })),
    refused,
  };
}

async function entriesOf(store: BaselineStore, { source, offset }: JsonObject): Promise<JsonObject> {
  if (source === undefined) return {};
  const all = (await store.load()).baselines.find((each) => each.source.kind === source)?.profile.entries ?? [];
  const start = typeof offset === 'number' ? offset : 0;
  const entries = all.slice(start, start + AGENT_LIMITS.baselinePage) as unknown as readonly JsonObject[];
  const nextOffset = start + entries.length;
  return { entries, ...(nextOffset < all.length ? { nextOffset } : {}) };
}

type Made = Pick<Baseline, 'source' | 'profile'>;

/** The report that `save` would take, and what is odd of the network in it: an operator sees it before it becomes what is expected. */
async function previewOf(wanted: JsonValue | undefined, parts: BaselineParts): Promise<JsonObject> {
  const report = await suitable(wanted, parts);
  const { id, created, intent, silenced = [] } = report;
  const { caseFileIn, remarksIn } = await import('./compare-reports.ts');
  const { nodeNamer } = await import('#correlate/network/node-ref.ts');
  const file = caseFileIn(report);
  const nameNodes = nodeNamer(intent, [...file.world.views.keys()]);
  const remarks = [...remarksIn(report).map(({ text }) => nameNodes(text)), ...silenced.map(({ text }) => text)];
  return { report: id, created, intent: intent.text, nodes: file.world.views.size, remarks };
}

async function fromReport(wanted: JsonValue | undefined, parts: BaselineParts): Promise<Made> {
  const report = await suitable(wanted, parts);
  return { source: { kind: 'report', id: report.id, intent: report.intent.text }, profile: await bounded(report) };
}

async function suitable(wanted: JsonValue | undefined, parts: BaselineParts): Promise<Report> {
  const id = typeof wanted === 'string' ? wanted : await newestHealthy(parts);
  const sealed = id === undefined ? undefined : await parts.store.get(id);
  if (id === undefined || sealed === undefined)
    throw refused('a healthy report of this node: ask "What is wrong?" first', id ?? 'none');
  const { verifyChain } = parts;
  const { ok, report } = await verifySealedReport(Buffer.from(sealedReportText(sealed)), { verifyChain });
  if (!ok || report === undefined) throw refused('a report that verifies', id);
  if (report.creator !== parts.node) throw refused(`a report of ${parts.node}`, `one of ${report.creator}`);
  if (report.verdict.kind !== 'healthy') throw refused('a healthy report', `${id}, which is ${report.verdict.kind}`);
  if (report.intent.kind === 'path-loss')
    throw refused('a question that reads protocols, such as "What is wrong?"', 'one about a path');
  return report;
}

async function bounded(report: Report): Promise<Profile> {
  const { caseFileIn } = await import('./compare-reports.ts');
  const { profileOf } = await import('#correlate/baseline/snapshot.ts');
  const profile = profileOf(caseFileIn(report));
  if (profile.entries.length <= LIMITS.baselineEntries) return profile;
  throw new ParleyError(
    'caller/baseline-too-large',
    `expected at most ${LIMITS.baselineEntries} entries, got ${profile.entries.length}: save one of fewer nodes`,
  );
}

/** The newest report on all nodes, else the newest of any. */
async function newestHealthy({ store }: BaselineParts): Promise<string | undefined> {
  const healthy = (await store.list()).filter(({ verdict }) => verdict === 'healthy');
  for (const { id } of healthy.slice(0, LIMITS.reportPage)) {
    const intent = await intentOf(store, id);
    if (intent !== undefined && intent !== 'path-loss') return id;
  }
  return undefined;
}

async function intentOf(store: ReportStore, id: string): Promise<string | undefined> {
  const sealed = await store.get(id);
  if (sealed === undefined) return undefined;
  const payload = JSON.parse(Buffer.from(sealed.report.payload, 'base64').toString('utf8')) as JsonObject;
  return isJsonObject(payload['intent']) ? String(payload['intent']['kind']) : undefined;
}

function fromTopology(args: JsonObject): Made {
  const links = (args['links'] ?? []) as unknown as readonly { readonly a: LinkEnd; readonly b: LinkEnd }[];
  const name = args['name'];
  if (typeof name !== 'string' || links.length === 0) throw refused('the name of a topology and its links', 'none');
  const bad = links
    .flatMap(({ a, b }) => [a, b])
    .find(({ node, ifname }) => !isNodeName(node) || !/^[!-~]+$/.test(ifname));
  if (bad !== undefined) throw refused('names of nodes and interfaces', `${bad.node}:${bad.ifname}`);
  const entries = links.map(({ a, b }): ProfileEntry => {
    const key = linkResource(a, b);
    return { part: 'link', subject: key, nodes: [a.node, b.node], value: 'up', resource: key, ends: [a, b] };
  });
  const nodes = [...new Set(entries.flatMap((entry) => entry.nodes))].sort();
  return {
    source: { kind: 'topology', name },
    profile: { nodes, told: nodes.map((node) => `${node} link`), entries, roundTrips: [] },
  };
}

function refused(expected: string, got: string): ParleyError {
  return new ParleyError('caller/no-baseline', `expected ${expected}, got ${got}`);
}
