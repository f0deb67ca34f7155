// The tools `parley-host-scan` and `parley-service-probe`: which hosts answer on this node's ports, and whether services can be reached from
// here. Bounded; they leave no state behind (TS-22). For another node they stay within this network: hosts around a port's own
// addresses, what a route other than the default one leads to, and private addresses behind an agent that is the next hop of the default one; a
// node is no way to the world beyond it.
import { ParleyError } from '#base/error.ts';
import {
  covers,
  type IpPrefix,
  isAsWideAsDefault,
  isNarrow,
  isOffTheInternet,
  isOfNoHost,
  isTranslated,
  parsePrefix,
} from '#base/ip.ts';
import type { JsonObject } from '#base/json.ts';
import type { ToolDefinition } from '#model/definition.ts';
import { costOfScan, costOfServices } from '#model/links/probe-cost.ts';
import { type HostScanRequest, hostScanRequest, type ServiceProbe, serviceProbeCall } from '#model/router/hosts.ts';
import type { RouterPort } from '#model/router/router-port.ts';
import { checked } from '#model/wire/check.ts';
import { argumentSchema } from '#model/wire/json-schema.ts';

/** An unknown argument of a newer peer is passed over. */
const hostScanArguments = hostScanRequest.extend({ census: hostScanRequest.shape.census.default(false) }).strip();
const serviceProbeArguments = serviceProbeCall.strip();

export const HOST_SCAN_INPUT: JsonObject = argumentSchema(hostScanArguments);

export function hostScanTool(router: RouterPort): ToolDefinition {
  return {
    name: 'parley-host-scan',
    title: 'Hosts on ports',
    description:
      'Asks by ARP which of the given addresses answer on a port of this node, and which gateway those hosts ask for by ARP when they have to answer an address off their link.',
    capability: 'parley-host-scan',
    mutability: 'probe',
    probes: (args) => costOfScan(checked(hostScanArguments, args)),
    inputSchema: HOST_SCAN_INPUT,
    outputSchema: { type: 'object', required: ['ports'] },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    call: async (args, context) => {
      const { ports, census } = checked(hostScanArguments, args);
      if (context.caller.kind === 'node') await refuseFarHosts(router, ports, context.signal);
      const answered = (await router.hosts?.({ ports, census }, context.signal)) ?? [];
      return { ports: answered };
    },
  };
}

/** An agent announces itself over LLDP behind this port. */
export type HasAgentOn = (ifname: string) => boolean;

export function serviceProbeTool(router: RouterPort, hasAgentOn: HasAgentOn = () => false): ToolDefinition {
  return {
    name: 'parley-service-probe',
    title: 'Services tried',
    description:
      'Tries echoes, and the ports of well-known services, at the given addresses, or one other TCP port at one address; tells what answered.',
    capability: 'parley-service-probe',
    mutability: 'probe',
    probes: (args) => costOfServices(checked(serviceProbeArguments, args)),
    inputSchema: argumentSchema(serviceProbeArguments),
    outputSchema: { type: 'object', required: ['results'] },
    callers: ['node', 'operator', 'controller'],
    listing: 'agents',
    call: async (args, context) => {
      const { serviceProbes: asked, alongDefault = false, ...how } = checked(serviceProbeArguments, args);
      if (how.source !== undefined) await refuseForeignSource(router, how.source, context.signal);
      const isOfNode = context.caller.kind === 'node';
      const atHosts = asked.filter(({ destination }) => !isStrange(destination));
      // What a node asks for beside it is tried all the same.
      if (!isOfNode) refuseNoHosts(asked);
      const near = isOfNode ? await withinNetwork(router, atHosts, context.signal) : asked;
      const rest = atHosts.filter((each) => !near.includes(each));
      const beyond = isOfNode && alongDefault ? await behindAgents(router, rest, hasAgentOn, context.signal) : [];
      const serviceProbes = asked.filter((each) => near.includes(each) || beyond.includes(each));
      const results = (await router.serviceProbe?.({ serviceProbes, ...how }, context.signal)) ?? [];
      const left = [
        ...new Set(
          asked.filter((serviceProbe) => !serviceProbes.includes(serviceProbe)).map(({ destination }) => destination),
        ),
      ];
      const byDefault = [...new Set(beyond.map(({ destination }) => destination))];
      return {
        results,
        ...(left.length === 0 ? {} : { left }),
        // Who asks judges them by what it knows of the way there.
        ...(byDefault.length === 0 ? {} : { byDefault }),
      };
    },
  };
}

/** A host whose address has a slip in one octet is sought in the networks of the same size around: so far, and no farther. */
const AROUND_BITS = 8;

async function refuseFarHosts(router: RouterPort, ports: HostScanRequest['ports'], signal: AbortSignal): Promise<void> {
  const { interfaces } = await router.counters(signal);
  for (const { ifname, addresses } of ports) {
    const own = (interfaces.find(({ name }) => name === ifname)?.addresses ?? [])
      .map(parsePrefix)
      .filter((prefix): prefix is IpPrefix => prefix?.family === 4);
    const far = addresses.find((address) => !own.some((prefix) => isAround(prefix, address)));
    if (far !== undefined)
      throw new ParleyError('caller/off-link', `expected addresses around those of ${ifname}, got ${far}`);
  }
}

function isAround(own: IpPrefix, address: string): boolean {
  const shift = BigInt(Math.min(32, 32 - own.prefixBits + AROUND_BITS));
  const value = parsePrefix(address)?.value;
  return value !== undefined && value >> shift === own.value >> shift;
}

function isStrange(destination: string): boolean {
  return isOfNoHost(destination) || isTranslated(destination);
}

/** This node's own services, addresses that many hosts have, and those behind a translator to IPv4 are tried for no caller. */
function refuseNoHosts(serviceProbes: readonly ServiceProbe[]): void {
  const strange = serviceProbes.find(({ destination }) => isStrange(destination));
  if (strange !== undefined)
    throw new ParleyError('caller/bad-argument', `expected the address of a host, got ${strange.destination}`);
}

/** Probes go in this node's own name, never in that of a host. */
export async function refuseForeignSource(router: RouterPort, source: string, signal: AbortSignal): Promise<void> {
  const { interfaces } = await router.counters(signal);
  if (!interfaces.some(({ addresses }) => addresses.some((own) => own.split('/')[0] === source)))
    throw new ParleyError('caller/source-address', `expected an address of this node, got ${source}`);
}

/** ServiceProbes at what a route other than the default one leads to. */
export async function withinNetwork(
  router: RouterPort,
  serviceProbes: readonly ServiceProbe[],
  signal: AbortSignal,
): Promise<readonly ServiceProbe[]> {
  const destinations = [...new Set(serviceProbes.map(({ destination }) => destination))];
  const answers = new Map(
    ((await router.routes?.(destinations, signal)) ?? []).map((answer) => [answer.destination, answer]),
  );
  const isOnLink = router.onLink?.();
  return serviceProbes.filter(({ destination, service, via }) => {
    const answer = answers.get(destination);
    if (answer === undefined || destination.startsWith('127.')) return false;
    // This node's own services, its resolver for one, are not another's to use.
    if (answer.kind === 'local') return service === 'echo' && via === undefined;
    // Without a way the kernel sends nothing; a frame that is handed to a neighbour would leave all the same.
    if (answer.kind !== 'unicast') return via === undefined;
    const prefix = answer.matched ?? answer.ribPrefix;
    return prefix === undefined
      ? destination.includes(':') && isOnLink?.(destination) === true
      : !isAsWideAsDefault(prefix);
  });
}

/** Shared with the provider (RFC 6598): no address of the own network. */
const SHARED = '100.64.0.0/10';

/**
 * ServiceProbes at private addresses of IPv4 to which the default route alone leads, where its one next hop is the only other device of a link and an agent
 * announces itself there: a site in a network of default routes. Not over IPv6, of which a translator may make any address of IPv4.
 */
async function behindAgents(
  router: RouterPort,
  serviceProbes: readonly ServiceProbe[],
  hasAgentOn: HasAgentOn,
  signal: AbortSignal,
): Promise<readonly ServiceProbe[]> {
  const able = serviceProbes.filter(
    ({ destination, via }) =>
      via === undefined && !destination.includes(':') && isOffTheInternet(destination) && !covers(SHARED, destination),
  );
  if (able.length === 0) return [];
  const destinations = [...new Set(able.map(({ destination }) => destination))];
  const { interfaces } = await router.counters(signal);
  const isAlone = (ifname: string, nextHop: string) =>
    (interfaces.find(({ name }) => name === ifname)?.addresses ?? []).some((own) => {
      const network = parsePrefix(own);
      return network !== undefined && isNarrow(network) && covers(own, nextHop);
    });
  const inside = new Set(
    ((await router.routes?.(destinations, signal)) ?? []).flatMap(({ destination, kind, ifname, ifnames, nextHop }) => {
      // Of several equal ways only the ports are known.
      const isOne = ifname !== undefined && nextHop !== undefined && (ifnames?.length ?? 1) === 1;
      return kind === 'unicast' && isOne && isAlone(ifname, nextHop) && hasAgentOn(ifname) ? [destination] : [];
    }),
  );
  return able.filter(({ destination }) => inside.has(destination));
}
