// The configuration of `parley aggregate`: which servers stand below, who may come in, what a parent demands. Unknown keys fail.
import { z } from 'zod';
import { nodeName, parentSchema, reportsSchema } from './schema.ts';
import { tokensSchema } from './tokens-schema.ts';

const path = z.string().min(1).max(1_024);
const segment = z.string().regex(/^[a-z0-9_-]{1,63}$/, 'expected a segment: lower-case letters, digits, "-" and "_"');
const mount = z.string().regex(/^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/, 'expected segments with dots between them');

const audienceName = z.string().min(1).max(512);

const rules = {
  /** `none`: each tool needs approval, unless the signed registry says otherwise. */
  trust: z.enum(['claims', 'none']).default('claims'),
  /** Of a tool that does not say whether it changes something: MCP takes it for one that destroys. */
  unsaid: z.enum(['gate', 'open']).default('gate'),
  /** `read`: nothing that may change something is ever sent there. */
  scope: z.enum(['read', 'write']).default('write'),
};

/** `auto`: the older revisions first, 2026-07-28 where a server refuses them; else that one and no other. */
const revision = z.enum(['auto', '2026-07-28']).default('auto');

const stdioLeaf = z.strictObject({
  segment,
  command: z.string().min(1).max(1_024),
  args: z.array(z.string().max(8_192)).max(128).default([]),
  env: z.record(z.string().max(256), z.string().max(32_768)).default({}),
  cwd: path.optional(),
  revision,
  ...rules,
});

const httpLeaf = z
  .strictObject({
    segment,
    url: z.url(),
    /** CA of the server, PEM; the system's CAs when absent. */
    ca: path.optional(),
    /** Shows this aggregator's own certificate to the server, and takes only one of the domain's CA, unless `ca` names another. */
    mutualTls: z.boolean().default(false),
    /** File with the token for this server, and for no other. */
    tokenFile: path.optional(),
    /** Where a token for this server is asked for, and again before it ends (RFC 8707). */
    token: z
      .strictObject({
        endpoint: z.url({ protocol: /^https$/ }),
        ca: path.optional(),
        /** Sent with the secret where there is one, else beside this aggregator's own certificate (RFC 8705 §2). */
        clientId: z.string().min(1).max(256).optional(),
        secretFile: path.optional(),
        scope: z.string().min(1).max(1_024).optional(),
      })
      .refine(({ clientId, secretFile }) => clientId !== undefined || secretFile === undefined, {
        message: 'expected clientId beside secretFile',
      })
      .optional(),
    /** What tokens call the server (aud), where it is not its URL; several names only where all are of this one server. */
    audience: z.union([audienceName, z.array(audienceName).min(1).max(16)]).optional(),
    revision,
    ...rules,
  })
  .refine(({ token, tokenFile }) => token === undefined || tokenFile === undefined, {
    message: 'expected one of token and tokenFile',
  });

const view = z.strictObject({
  /** `host`: names that MCP hosts take; `dotted`: segments with dots. */
  names: z.enum(['host', 'dotted']).default('host'),
  mount: mount.optional(),
  /** Three tools by which the others are found and called. */
  compact: z.boolean().default(false),
});

export const aggregateSchema = z.strictObject({
  node: nodeName,
  state: path.default('/var/lib/parley-aggregate'),
  identity: z.strictObject({ dir: path.default('/etc/parley/identity') }).prefault({}),
  /** Mutual TLS; without it, this aggregator serves standard input, its socket and the loopback address only. */
  listen: z
    .strictObject({ host: z.string().min(1).default('::'), port: z.number().int().min(0).max(65_535).default(9519) })
    .optional(),
  control: z.strictObject({ socket: path.optional(), group: z.string().optional() }).prefault({}),
  /** Plain HTTP for MCP hosts on this machine. Without a token file every program of this machine is the operator. */
  loopback: z.strictObject({ port: z.number().int().min(0).max(65_535), tokenFile: path.optional() }).optional(),
  leaves: z
    .array(z.union([stdioLeaf, httpLeaf]))
    .max(1_024)
    .default([]),
  /** Where this aggregator registers; the next ones are tried when the one before does not answer. */
  parents: z.array(parentSchema).max(4).default([]),
  registration: z
    .strictObject({
      ...rules,
      allowed: z.boolean().default(true),
      /** Segment → names of the nodes that alone may hold it; any node may hold one that is not listed. */
      segments: z.record(segment, z.array(z.string().min(1).max(255)).max(64)).default({}),
      /** `mutable`: tools that may change something need a proven owner: an authority, or a node of the segment's own name. */
      proof: z.enum(['mutable', 'none']).default('mutable'),
      /** JWKS: whose JWTs prove an authority that a certificate does not have. */
      authorityKeys: path.optional(),
      stickyHours: z.number().int().min(0).max(8_760).default(168),
    })
    .prefault({}),
  /** etcd, shared by the aggregators of a tree: no subserver is registered with two of them. */
  store: z
    .strictObject({
      etcd: z.array(z.url()).min(1).max(9),
      tree: segment.default('parley'),
      /** The namespace that segments are in: an aggregator and its backup name the same. */
      place: segment.default('root'),
      leaseSeconds: z.number().int().min(1).max(600).default(5),
      ca: path.optional(),
      certificate: path.optional(),
      key: path.optional(),
    })
    .optional(),
  degraded: z.strictObject({ graceSeconds: z.number().int().min(0).max(86_400).default(300) }).prefault({}),
  budget: z
    .strictObject({
      callsPerMinute: z.number().int().min(1).max(10_000_000).default(600),
      mutableCallsPerSession: z.number().int().min(0).max(10_000_000).default(1_000),
      costUnitsPerSession: z.number().int().min(0).max(1_000_000_000).default(100_000),
      sessionMinutes: z.number().int().min(1).max(525_600).default(1_440),
    })
    .prefault({}),
  /** Access tokens of clients over mutual TLS and HTTP: whose count here, and who needs one. */
  tokens: tokensSchema.omit({ issue: true }).prefault({}),
  /** What an admin has signed of tools: `parley aggregate sign-tools`. */
  toolRegistry: path.optional(),
  view: view.prefault({}),
  /** What is kept of the reports about questions that were asked here. */
  reports: reportsSchema.prefault({}),
  log: z.strictObject({ level: z.enum(['debug', 'info', 'warn', 'error']).default('info') }).prefault({}),
});

export type AggregateConfig = z.infer<typeof aggregateSchema>;
