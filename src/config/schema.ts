// The one configuration schema. Unknown keys fail; defaults stand here and in docs/operations/parley.yaml, which a test keeps true.
import { z } from 'zod';
import { parsePrefix } from '#base/ip.ts';
import { LOG_LEVELS } from '#base/log.ts';
import { DEFAULT_ASKER_RULES } from '#model/asker.ts';
import { NODE_NAME } from '#model/names.ts';
import { accessSchema } from './access-schema.ts';
import { tokensSchema } from './tokens-schema.ts';

const path = z.string().min(1).max(1_024);
const port = z.number().int().min(1).max(65_535);
const thumbprint = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 thumbprint, 64 lower-case hex digits');
export const nodeName = z.string().regex(NODE_NAME, 'expected a node name: lower-case letters, digits, "-", "_", "."');
const HOST_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const domainName = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'expected a domain name in lower case');

/** A device that this agent speaks for over NETCONF. */
const netconfDriver = z
  .strictObject({
    kind: z.literal('netconf'),
    host: z.string().min(1).max(253),
    port: port.default(830),
    user: z.string().min(1).max(128),
    /** What `ssh-keygen -lf` prints of the device's host keys; any other key ends the connection. */
    hostKeys: z
      .array(z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'expected a fingerprint such as SHA256:…, 43 characters'))
      .min(1)
      .max(8),
    passwordFile: path.optional(),
    keyFile: path.optional(),
  })
  .refine(
    ({ passwordFile, keyFile }) => (passwordFile === undefined) !== (keyFile === undefined),
    'expected either passwordFile or keyFile',
  );

const driverSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('linux-frr'),
    helper: path.default('/run/parley-helper/helper.sock'),
    /** Socket of the configuration helper; none: this node cannot be configured through Parley. */
    configHelper: path.optional(),
  }),
  z.strictObject({ kind: z.literal('embedded'), hub: path, configurable: z.boolean().optional() }),
  netconfDriver,
]);

const staticPeer = z.strictObject({
  node: nodeName,
  addresses: z.array(z.string().min(1)).min(1).max(16),
  port: port.default(9514),
});

/** The router's end of the veth pair to the speaker; the ids are found out when they are not given. */
const isisSchema = z.strictObject({
  interface: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14}$/, 'expected an interface name'),
  systemId: z
    .string()
    .regex(/^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/, 'expected a system id such as 02ab.cdef.0123')
    .optional(),
  area: z
    .string()
    .regex(/^[0-9a-fA-F]{2}(\.?([0-9a-fA-F]{2})+)*$/, 'expected an area such as 49.0001')
    .max(38)
    .optional(),
});

const discoverySchema = z.strictObject({
  lldp: z.boolean().default(true),
  isis: z.union([z.literal('off'), isisSchema]).default('off'),
  /** Ask OSPF neighbours of which no other discovery tells whether they have an agent. */
  ospf: z.boolean().default(true),
  static: z.array(staticPeer).max(1_024).default([]),
});

/** What a diagnosis asks of other nodes; each says by its name what it lets them do. */
const DEFAULT_ALLOW = [
  'ietf-srv6-ping',
  'ietf-interface-counters',
  'parley-peers',
  'parley-capture',
  'parley-dhcp',
  'parley-service-probe',
  'parley-lookups',
  'parley-reach',
  'parley-relay',
  'parley-host-scan',
] as const;

const ceiling = z.enum(['refused', 'observer', 'operator']);

/** What another node's word counts here, of who stands behind its calls. */
const askersSchema = z.strictObject({
  absent: z.enum(['node', ...ceiling.options]).default(DEFAULT_ASKER_RULES.absent),
  local: ceiling.default(DEFAULT_ASKER_RULES.local),
  vouched: ceiling.default(DEFAULT_ASKER_RULES.vouched),
});

const prefix = z
  .string()
  .max(49)
  .refine((text) => parsePrefix(text) !== undefined, 'expected a prefix such as fd00::/8 or 198.18.0.0/15');

const peersSchema = z.strictObject({
  /** Node name → thumbprint: a certificate that differs is refused. */
  pins: z.record(nodeName, thumbprint).default({}),
  /** TS-14a: capabilities that neighbours may call here. */
  allow: z
    .array(z.string().min(1).max(64))
    .max(64)
    .default([...DEFAULT_ALLOW]),
  askers: askersSchema.prefault({}),
  /** Nodes whose requests need no signature, as agents that were built from the troubleshooting draft alone: they read and probe, and change nothing. */
  unsigned: z.array(nodeName).max(256).default([]),
  /** Where addresses that only a peer has told of are dialled; none: see docs/operations/who-may-do-what.md. */
  dial: z.array(prefix).max(256).optional(),
});

/** Whose consent a change needs (TS-28). */
export const configureSchema = z.strictObject({
  consent: z.enum(['required', 'operator-present', 'off']).default('required'),
  /** Changes that an admin has agreed to beforehand, as long as they undo themselves in time. */
  preApproved: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(128),
        tool: z.string().min(1).max(128),
        users: z.array(z.string().min(1).max(128)).max(256).optional(),
        rollbackSeconds: z.number().int().min(1).max(86_400),
        /** MTUs, links and filter rules as well. */
        live: z.boolean().optional(),
      }),
    )
    .max(64)
    .default([]),
  /** Changes that two different admins must sign, whatever else is set. */
  twoAdmins: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(128),
        tool: z.string().min(1).max(128).optional(),
        /** Only MTUs, links and filter rules. */
        live: z.boolean().optional(),
      }),
    )
    .max(16)
    .default([]),
});

/** An aggregator above: its certificate must carry the name. */
export const parentSchema = z.strictObject({
  node: nodeName,
  addresses: z.array(z.string().min(1)).min(1).max(16),
  port: port.default(9519),
  /** Under which this node stands there. */
  segment: z.string().regex(/^[a-z0-9_-]{1,63}$/, 'expected a segment: lower-case letters, digits, "-" and "_"'),
  heartbeatMs: z.number().int().min(100).max(600_000).default(5_000),
  /** Such as dns:pe1.example, which the certificate must carry. */
  authority: z.string().max(255).optional(),
  /** A JWT that proves the authority where the certificate does not; read for each registration. */
  authorityProofFile: z.string().min(1).max(1_024).optional(),
});

const days = z.number().int().min(1).max(3_650);

/** What this node keeps of its reports: docs/operations/reports.md. */
export const reportsSchema = z.strictObject({
  /** All reports together, compressed. */
  quotaBytes: z.number().int().min(1_048_576).max(68_719_476_736).default(268_435_456),
  /** Age at which a report goes; `acknowledged`: one that a controller has, whatever its kind. */
  keepDays: z
    .strictObject({
      healthy: days.default(30),
      inconclusive: days.default(90),
      fault: days.default(365),
      acknowledged: days.default(90),
    })
    .prefault({}),
});

/** Where the audit trail goes beside this node's disk: docs/operations/audit.md. */
const auditSchema = z.strictObject({
  /** Syslog over TLS (RFC 5425); none: the trail stays on this node. */
  collector: z
    .strictObject({
      host: z.string().min(1).max(253),
      port: port.default(6514),
      /** CA of the collector's certificate, PEM. */
      ca: path,
      /** What its certificate must carry; `host` when absent. */
      name: z.string().min(1).max(253).optional(),
      /** This node's certificate and key for a collector that asks for one, PEM. */
      cert: path.optional(),
      key: path.optional(),
      /** False for a collector that ends connections without a close_notify of TLS: a box on the path can then fake deliveries. */
      closeNotify: z.boolean().default(true),
    })
    .refine(({ cert, key }) => (cert === undefined) === (key === undefined), 'expected both cert and key, or neither')
    .optional(),
});

const narrateSchema = z.strictObject({
  /** Base URL of an Ollama server; none: sentences come from templates. */
  ollama: z.url().optional(),
  model: z.string().min(1).max(128).default('qwen3:4b'),
  timeoutMs: z.number().int().min(100).max(60_000).default(4_000),
});

export const configSchema = z.strictObject({
  node: nodeName,
  domain: domainName,
  listen: z
    .strictObject({
      host: z.string().min(1).default('::'),
      port: port.default(9514),
      /** Further names by which browsers reach the operators' page. */
      names: z.array(z.string().regex(HOST_NAME, 'expected a host name')).max(16).default([]),
    })
    .prefault({}),
  control: z
    .strictObject({ socket: path.default('/run/parley/control.sock'), group: z.string().default('parley') })
    .prefault({}),
  /** For MCP hosts on this machine: HTTP on the loopback interface, with a token. Off without a port. */
  loopback: z
    .strictObject({ port: port.optional(), tokenFile: path.default('/var/lib/parley/loopback-token') })
    .prefault({}),
  /** Folders with prompt templates of the operator's own. */
  prompts: z.strictObject({ dir: path.default('/etc/parley/prompts') }).prefault({}),
  identity: z.strictObject({ dir: path.default('/etc/parley/identity') }).prefault({}),
  /** Gives other nodes their first certificate; off without a folder. */
  registrar: z
    .strictObject({ dir: path.optional(), host: z.string().min(1).default('::'), port: port.default(9517) })
    .prefault({}),
  /** Nodes that renew this one's certificate; none: the registrar that certified it. */
  renewal: z.strictObject({ registrars: z.array(nodeName).max(16).default([]) }).prefault({}),
  /** Which CAs the domain has and what is revoked, as `parley ca revoke` writes it; peers carry it as well. */
  trustList: z.strictObject({ file: path.default('/etc/parley/trust-list.json') }).prefault({}),
  state: path.default('/var/lib/parley'),
  driver: driverSchema.default({ kind: 'linux-frr', helper: '/run/parley-helper/helper.sock' }),
  discovery: discoverySchema.prefault({}),
  peers: peersSchema.prefault({}),
  /** The aggregator with which this node registers its tools: docs/operations/aggregating.md. */
  parent: parentSchema.optional(),
  sessions: z.strictObject({ idleMs: z.number().int().min(0).max(86_400_000).default(600_000) }).prefault({}),
  probe: z.strictObject({ count: z.number().int().min(100).max(10_000).default(1_000) }).prefault({}),
  /** What this node monitors all the time, so that a fault that has cleared can still be found. */
  monitor: z
    .strictObject({
      links: z.boolean().default(true),
      hosts: z.boolean().default(true),
      services: z.boolean().default(true),
    })
    .prefault({}),
  /** What this node remembers of the hosts on its ports: docs/privacy.md. */
  remember: z.strictObject({ hosts: z.boolean().default(true) }).prefault({}),
  access: accessSchema.prefault({}),
  tokens: tokensSchema.prefault({}),
  configure: configureSchema.prefault({}),
  audit: auditSchema.prefault({}),
  narrate: narrateSchema.prefault({}),
  reports: reportsSchema.prefault({}),
  /** For labs: gives this agent a clock of its own. */
  clock: z
    .strictObject({
      offsetMs: z.number().min(-86_400_000).max(86_400_000).default(0),
      driftPpm: z.number().min(-1_000).max(1_000).default(0),
    })
    .prefault({}),
  log: z.strictObject({ level: z.enum(LOG_LEVELS).default('info'), file: path.optional() }).prefault({}),
});

export type Config = z.infer<typeof configSchema>;
