// The YANG data of one node: which modules it has, and what stands under a path (TS-1, TS-7, NET-15). Standard modules are made
// from what the router reports, FRR's own come from its daemons. Refuses what it does not have by the codes of NET-13.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { Access } from '#model/access.ts';
import { type CallContext, WIRE_CODES } from '#model/definition.ts';
import type { Party } from '#model/identity.ts';
import { redactData } from '#model/redaction.ts';
import type { AddressFamily, DevicePort, RouteEntry, YangDatastore } from '#model/router/device-port.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { type PathStep, parsePath } from '#model/router/yang-path.ts';
import { holderOf, readCandidate } from '../configuration/candidate-text.ts';
import type { CounterOffsets } from '../device/counter-offsets.ts';
import { NETWORK_LIMITS } from '../limits.ts';
import { openconfigBgp } from './bgp.ts';
import { CANDIDATE_MODULES, candidateTree } from './candidate.ts';
import { type AgentFacts, IETF_MCP, mcpTree } from './ietf-mcp.ts';
import { ietfInterfaces, openconfigInterfaces } from './interfaces.ts';
import { pruneTree } from './prune.ts';
import { ietfRouting, type RibContent, ribName } from './routing.ts';
import { selectNode } from './select.ts';

export type YangModule = { readonly name: string; readonly namespace: string; readonly revision: string };

export type Datastores = {
  modules(signal?: AbortSignal): Promise<readonly YangModule[]>;
  namespaceOf(module: string): string;
  /** `{ "<module>:<node>": … }`. */
  get(path: string, datastore: YangDatastore, context: CallContext): Promise<JsonObject>;
  /** True when some data must be kept from this caller. */
  hidesData(context: CallContext): boolean;
  /** Data that was made elsewhere, below `base`, without what the caller may not read. */
  prune(data: JsonObject, base: readonly PathStep[], context: CallContext): JsonObject;
};

export type DatastoreParts = {
  readonly router: RouterPort;
  readonly device: DevicePort;
  readonly offsets: CounterOffsets;
  readonly access: Access;
  /** What the agent says of itself under `ietf-mcp`; reports only for whom they are. */
  readonly agent?: (caller: Party) => Promise<AgentFacts>;
};

const MAPPED: readonly YangModule[] = [
  { name: 'ietf-interfaces', namespace: 'urn:ietf:params:xml:ns:yang:ietf-interfaces', revision: '2018-02-20' },
  { name: 'ietf-routing', namespace: 'urn:ietf:params:xml:ns:yang:ietf-routing', revision: '2018-03-13' },
  { name: 'ietf-yang-library', namespace: 'urn:ietf:params:xml:ns:yang:ietf-yang-library', revision: '2019-01-04' },
  { name: 'openconfig-interfaces', namespace: 'http://openconfig.net/yang/interfaces', revision: '2021-04-06' },
];
const BGP: YangModule = { name: 'openconfig-bgp', namespace: 'http://openconfig.net/yang/bgp', revision: '2022-05-21' };

type Asked = { readonly datastore: YangDatastore; readonly path: string };

/** Modules that the above import or augment with: only their namespaces are needed. */
const IMPORTED: Readonly<Record<string, string>> = {
  'ietf-ip': 'urn:ietf:params:xml:ns:yang:ietf-ip',
  'iana-if-type': 'urn:ietf:params:xml:ns:yang:iana-if-type',
  'ietf-isis': 'urn:ietf:params:xml:ns:yang:ietf-isis',
  'ietf-ospf': 'urn:ietf:params:xml:ns:yang:ietf-ospf',
  'ietf-bgp': 'urn:ietf:params:xml:ns:yang:ietf-bgp',
  'ietf-ipv4-unicast-routing': 'urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing',
  'ietf-ipv6-unicast-routing': 'urn:ietf:params:xml:ns:yang:ietf-ipv6-unicast-routing',
  'openconfig-if-ip': 'http://openconfig.net/yang/interfaces/ip',
  'openconfig-bgp-types': 'http://openconfig.net/yang/bgp-types',
};

export function createDatastores(parts: DatastoreParts): Datastores {
  const { device } = parts;
  const modules = async (signal?: AbortSignal) => {
    const facts = await device.facts(signal);
    const native = facts.nativeModules.map(({ module, namespace, revision }) => ({
      name: module,
      namespace,
      revision,
    }));
    const own = parts.agent === undefined ? [] : [IETF_MCP];
    if (facts.onlyNative) return [...own, ...native];
    return [...MAPPED, ...own, ...(facts.protocols.includes('bgp') ? [BGP] : []), ...native];
  };
  /** As the device last told them. */
  let told: readonly YangModule[] = [];
  return {
    modules: async (signal) => {
      told = await modules(signal);
      return told;
    },
    namespaceOf: (module) =>
      [...told, ...MAPPED, BGP, IETF_MCP].find(({ name }) => name === module)?.namespace ??
      IMPORTED[module] ??
      `urn:parley:yang:${module}`,
    hidesData: ({ caller }) => parts.access.hidesData(caller),
    prune: (data, base, { caller }) => pruneTree(parts.access, caller, data, base),
    async get(path, datastore, context) {
      const steps = parsePath(path);
      if (!steps.ok) throw refusal('caller/yang-syntax', steps.reason, WIRE_CODES.yangSyntaxError, path);
      const tree = await treeOf(parts, modules, steps.value, { datastore, path }, context);
      const found = selectNode(pruneTree(parts.access, context.caller, tree), steps.value);
      if (found === undefined)
        throw refusal(
          'caller/no-instance',
          `expected data under this path, got none in ${datastore}`,
          WIRE_CODES.resourceNotFound,
          path,
        );
      return redactData(found) as JsonObject;
    },
  };
}

async function treeOf(
  parts: DatastoreParts,
  modules: Datastores['modules'],
  steps: readonly PathStep[],
  asked: Asked,
  context: CallContext,
): Promise<JsonObject> {
  const { router, device, offsets } = parts;
  const { signal } = context;
  const module = steps[0]!.module!;
  if (module === IETF_MCP.name && parts.agent !== undefined) {
    if (asked.datastore !== 'operational') throw unknownDatastore(module, ['operational'], asked.datastore);
    return mcpTree(await parts.agent(context.caller));
  }
  const facts = await device.facts(signal);
  if (asked.datastore === 'candidate' && !facts.onlyNative) return candidateOf(parts, module, context);
  if (facts.onlyNative || !MAPPED.some(({ name }) => name === module))
    return foreignTree(parts, modules, module, asked, context);
  const { datastore } = asked;
  if (datastore !== 'running' && datastore !== 'operational')
    throw unknownDatastore(module, ['running', 'operational'], datastore);
  switch (module) {
    case 'ietf-interfaces':
    case 'openconfig-interfaces': {
      const { interfaces } = await router.counters(signal);
      const shown = offsets.apply(context.caller, interfaces);
      return module === 'ietf-interfaces'
        ? ietfInterfaces(shown, datastore, offsets.clearedAt(context.caller) ?? facts.bootTime ?? '')
        : openconfigInterfaces(shown, datastore);
    }
    case 'ietf-routing':
      return ietfRouting(await routingOf(parts, steps, signal));
    default:
      return yangLibrary(await modules(signal), [
        'running',
        ...(router.configuration === undefined ? [] : (['candidate'] as const)),
        'operational',
      ]);
  }
}

async function candidateOf({ router }: DatastoreParts, module: string, context: CallContext): Promise<JsonObject> {
  const { configuration } = router;
  if (configuration !== undefined && CANDIDATE_MODULES.includes(module))
    return candidateTree(await readCandidate(configuration, context.caller), module);
  throw refusal(
    'caller/unknown-datastore',
    configuration === undefined
      ? 'expected running or operational, this node has no candidate'
      : `expected a module that can be configured here, got ${module.slice(0, 64)}`,
    WIRE_CODES.configIncompatible,
    module,
    { known: configuration === undefined ? [] : CANDIDATE_MODULES },
  );
}

/** BGP, where its daemon runs, and FRR's own modules. */
async function foreignTree(
  { device, router }: DatastoreParts,
  modules: Datastores['modules'],
  module: string,
  { datastore, path }: Asked,
  { signal, caller }: CallContext,
): Promise<JsonObject> {
  const facts = await device.facts(signal);
  if (module === BGP.name && facts.protocols.includes('bgp'))
    return openconfigBgp((await device.bgpNeighbours(signal)) ?? {});
  const native = facts.nativeModules.find((entry) => entry.module === module);
  if (native === undefined || device.native === undefined) {
    const known = (await modules(signal)).map(({ name }) => name);
    throw refusal(
      'caller/unknown-module',
      `expected a module of this device, got ${JSON.stringify(module.slice(0, 64))}`,
      WIRE_CODES.configIncompatible,
      module,
      { known },
    );
  }
  if (!native.datastores.includes(datastore)) throw unknownDatastore(module, native.datastores, datastore);
  // Only its holder sees a candidate: for any other caller this rejects.
  if (datastore === 'candidate') {
    const [port, holder] = [router.configuration, holderOf(caller)];
    await (port?.mustHold?.(holder) ?? port?.read('candidate', holder));
  }
  return device.native(module, datastore, signal, path);
}

function unknownDatastore(module: string, known: readonly string[], got: string): ParleyError {
  const message = `expected ${known.join(' or ')} of ${module}, got ${got}`;
  return refusal('caller/unknown-datastore', message, WIRE_CODES.configIncompatible, module);
}

/** Only the tables that the path can reach are read, and of each at most one page. */
async function routingOf({ router, device }: DatastoreParts, steps: readonly PathStep[], signal: AbortSignal) {
  const wantsRoutes = steps.length < 3 || (steps[1]!.name === 'ribs' && steps.length !== 2);
  const families = (['ipv4', 'ipv6'] as const).filter((family) => {
    const asked = steps[2]?.keys;
    const name = Array.isArray(asked) ? asked[0] : (asked as Record<string, string> | undefined)?.['name'];
    return name === undefined || name === ribName(family);
  });
  const ribOf = async (family: AddressFamily): Promise<RibContent> => {
    if (!wantsRoutes) return { family, routes: [], complete: false };
    const routes: RouteEntry[] = [];
    const each = (some: readonly RouteEntry[]) => void routes.push(...some);
    const next = await device.routes({ family, cursor: undefined, most: NETWORK_LIMITS.routePage, each }, signal);
    return { family, routes, complete: next === undefined };
  };
  const [{ interfaces }, facts, ribs] = await Promise.all([
    router.counters(signal),
    device.facts(signal),
    Promise.all(families.map(ribOf)),
  ]);
  return { interfaces: interfaces.map(({ name }) => name), protocols: facts.protocols, ribs };
}

/** RFC 8525, one set in one schema. */
function yangLibrary(modules: readonly YangModule[], datastores: readonly YangDatastore[]): JsonObject {
  const names = modules.map(({ name, revision }) => `${name}@${revision}`).join(',');
  return {
    'ietf-yang-library:yang-library': {
      'module-set': [
        { name: 'all', module: modules.map(({ name, namespace, revision }) => ({ name, revision, namespace })) },
      ],
      schema: [{ name: 'all', 'module-set': ['all'] }],
      datastore: datastores.map((name) => ({ name: `ietf-datastores:${name}`, schema: 'all' })),
      'content-id': names,
    },
  };
}

function refusal(
  code: `caller/${string}`,
  message: string,
  wireCode: number,
  path: string,
  more: JsonObject = {},
): ParleyError {
  return new ParleyError(code, message, { data: { wireCode, path: path.slice(0, 200), ...more } });
}
