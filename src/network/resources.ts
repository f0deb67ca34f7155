// The resources `network:///…` of one device (NET-4, NET-5, NET-6, NET-8), with the media types of the draft's table. Interface
// names stand unescaped, slashes included. What may be written is in config-resources.ts; large tables come page by page.
import { ParleyError } from '#base/error.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { CallContext, ReadRequest, ResourceDefinition, ResourcePage } from '#model/definition.ts';
import { redactConfiguration, redactText } from '#model/redaction.ts';
import type { AddressFamily, DevicePort, RouteEntry } from '#model/router/device-port.ts';
import type { InterfaceState, RouterPort } from '#model/router/router-port.ts';
import { type PathStep, parsePath } from '#model/router/yang-path.ts';
import type { CounterOffsets } from './device/counter-offsets.ts';
import { createRouteLines, LINES_FOR_ROUTE, ROUTE_LINES, ROUTE_LINES_HEADER } from './device/route-lines.ts';
import type { Ticker } from './device/ticker.ts';
import { createTextPieces } from './files/text-pieces.ts';
import { NETWORK_LIMITS } from './limits.ts';
import type { Datastores } from './yang/datastores.ts';
import { IETF_MCP_TEXT, IETF_MCP_URI } from './yang/ietf-mcp.ts';
import { openconfigInterface } from './yang/interfaces.ts';
import { createRouteTexts, ribName } from './yang/routing.ts';
import { yangXml } from './yang/xml.ts';

export type ResourceParts = {
  readonly router: RouterPort;
  readonly device: DevicePort;
  readonly datastores: Datastores;
  readonly offsets: CounterOffsets;
  readonly ticker: Ticker;
};

const YANG_JSON = 'application/yang-data+json';
const YANG_XML = 'application/yang-data+xml';
const INTERFACE = 'network:///interface/';

type Kind = Pick<ResourceDefinition, 'name' | 'title' | 'description' | 'uriTemplate' | 'mimeType'>;

export function networkResources(parts: ResourceParts): readonly ResourceDefinition[] {
  return [
    interfaceResource(parts),
    interfacesResource(parts),
    routeResource(parts, 'ipv4'),
    routeResource(parts, 'ipv6'),
    loadResource(parts),
    memoryResource(parts),
    syslogResource(parts),
    configResource(parts, 'running'),
    configResource(parts, 'startup'),
    crashResource(parts),
    moduleResource(),
  ];
}

/** What all have in common; `read` is never used where there is `page`. */
function describedResource(
  kind: Kind,
  more: Partial<ResourceDefinition> & Pick<ResourceDefinition, 'page'>,
): ResourceDefinition {
  return {
    ...kind,
    capability: 'network.resources',
    callers: ['node', 'operator', 'controller'],
    serves: (uri) => uri === kind.uriTemplate,
    read: async () => undefined,
    ...more,
  };
}

function interfaceResource({ router, datastores, offsets, ticker }: ResourceParts): ResourceDefinition {
  const namesOf = async (signal: AbortSignal) => (await router.counters(signal)).interfaces.map(({ name }) => name);
  return describedResource(
    {
      name: 'interface',
      title: 'Interface',
      description: 'One interface with its state and counters',
      uriTemplate: `${INTERFACE}{name}`,
      mimeType: YANG_JSON,
    },
    {
      serves: (uri) => uri.startsWith(INTERFACE) && uri.length > INTERFACE.length,
      honoursPaths: true,
      pathOf: (uri) => [INTERFACES, { module: undefined, name: 'interface', keys: [uri.slice(INTERFACE.length)] }],
      page: async (uri, request, context) => {
        const { interfaces } = await router.counters(context.signal);
        const entry = offsets
          .apply(context.caller, interfaces)
          .find(({ name }) => name === uri.slice(INTERFACE.length));
        if (entry === undefined) return undefined;
        const [kept] = shownInterfaces([entry], datastores, context);
        return kept === undefined
          ? undefined
          : yangPage({ 'openconfig-interfaces:interface': kept }, request, datastores);
      },
      list: async ({ signal }) =>
        (await namesOf(signal)).map((name) => ({ uri: `${INTERFACE}${name}`, name, mimeType: YANG_JSON })),
      complete: async (_place, value, { signal }) => (await namesOf(signal)).filter((name) => name.startsWith(value)),
      watch: (_uri, changed) => ticker.every(NETWORK_LIMITS.counterPollMs, changed),
      meta: { unit: 'octets and packets', precision: 1 },
    },
  );
}

function interfacesResource({ router, datastores, offsets, ticker }: ResourceParts): ResourceDefinition {
  return describedResource(
    {
      name: 'interfaces',
      title: 'Interfaces',
      description: 'All interfaces, page by page',
      uriTemplate: 'network:///interfaces',
      mimeType: YANG_JSON,
    },
    {
      honoursPaths: true,
      pathOf: () => [INTERFACES],
      page: async (_uri, request, context) => {
        const { interfaces } = await router.counters(context.signal);
        const sorted = offsets.apply(context.caller, interfaces).toSorted(byName);
        const after = request.cursor === undefined ? undefined : nameAfter(request.cursor);
        const left = after === undefined ? sorted : sorted.filter(({ name }) => name > after);
        const shown = left.slice(0, NETWORK_LIMITS.interfacePage);
        const data = {
          'openconfig-interfaces:interfaces': {
            interface: shownInterfaces(shown, datastores, context),
          },
        };
        const page = yangPage(data, request, datastores);
        return left.length > shown.length ? { ...page, nextCursor: cursorAfter(shown.at(-1)!.name) } : page;
      },
      watch: (_uri, changed) => ticker.every(NETWORK_LIMITS.counterPollMs, changed),
    },
  );
}

const ROUTES_START = '{"ietf-routing:routes":[';

function routeResource({ device, datastores }: ResourceParts, family: AddressFamily): ResourceDefinition {
  return describedResource(
    {
      name: `${family}-route-table`,
      title: `${family === 'ipv4' ? 'IPv4' : 'IPv6'} routes`,
      description: `The ${family === 'ipv4' ? 'IPv4' : 'IPv6'} forwarding table, ${NETWORK_LIMITS.routePage} routes a page`,
      uriTemplate: `network:///routing/${family}/route-table`,
      mimeType: YANG_JSON,
    },
    {
      honoursPaths: true,
      pathOf: () => routesPath(family),
      page: async (_uri, request, context) => {
        // Lines have no paths to hold rules against: who may not read everything gets the data that the rules leave.
        const isHiding = datastores.hidesData(context);
        const isLines = request.accept === ROUTE_LINES && !isHiding;
        const most = Math.min(
          request.limit ?? NETWORK_LIMITS.routePage,
          isLines ? NETWORK_LIMITS.routePageMost * LINES_FOR_ROUTE : NETWORK_LIMITS.routePageMost,
        );
        const pieces = createTextPieces();
        const write = isLines ? createRouteLines() : createRouteTexts(family);
        pieces.add(isLines ? ROUTE_LINES_HEADER : ROUTES_START);
        const each = (routes: readonly RouteEntry[]) => pieces.add(write(routes));
        const next = await device.routes({ family, cursor: request.cursor, most, each }, context.signal);
        const more = next === undefined ? {} : { nextCursor: next };
        if (isLines) return { data: pieces.end(), mimeType: ROUTE_LINES, ...more };
        pieces.add(']}');
        const text = pieces.end();
        if (request.accept !== YANG_XML && !isHiding) return writtenPage(text, next);
        const made = { route: (JSON.parse(text) as { 'ietf-routing:routes': JsonObject[] })['ietf-routing:routes'] };
        const { route = [] } = datastores.prune(made, routesPath(family), context);
        return { ...yangPage({ 'ietf-routing:routes': route }, request, datastores), ...more };
      },
    },
  );
}

function loadResource({ device, ticker }: ResourceParts): ResourceDefinition {
  return describedResource(
    {
      name: 'cpu-utilization',
      title: 'CPU use',
      description: 'CPU use in percent, updated every 30 s',
      uriTemplate: 'network:///system/cpu-utilization',
      mimeType: 'application/json',
    },
    {
      page: async () => ({ data: { ...(await device.load()) } as unknown as JsonObject }),
      watch: (_uri, changed) => ticker.every(LIMITS.loadWindowMs, changed),
      meta: { unit: 'percent', precision: 0.1 },
    },
  );
}

function memoryResource({ device, ticker }: ResourceParts): ResourceDefinition {
  return describedResource(
    {
      name: 'memory-summary',
      title: 'Memory use',
      description: 'Memory in use and available',
      uriTemplate: 'network:///system/memory-summary',
      mimeType: 'application/json',
    },
    {
      page: async () => {
        const memory = await device.memory();
        return { data: { ...memory, usedBytes: memory.totalBytes - memory.availableBytes } };
      },
      watch: (_uri, changed) => ticker.every(LIMITS.loadWindowMs, changed),
      meta: { unit: 'octets', precision: 1 },
    },
  );
}

const SYSLOG = /^network:\/\/\/log\/syslog\/last(\d{1,5})$/;
const TEXT = 'text/plain; charset=utf-8';

function syslogResource({ device }: ResourceParts): ResourceDefinition {
  const countOf = (uri: string) => Number(SYSLOG.exec(uri)?.[1] ?? 0);
  return describedResource(
    {
      name: 'syslog',
      title: 'Log',
      description: `The last lines of the node's log, at most ${LIMITS.logLines}`,
      uriTemplate: 'network:///log/syslog/last{count}',
      mimeType: TEXT,
    },
    {
      serves: (uri) => countOf(uri) >= 1 && countOf(uri) <= LIMITS.logLines,
      page: async (uri, _request, { signal }) => ({ data: textOfLines(await device.log(countOf(uri), signal)) }),
      watch: (_uri, changed) =>
        device.watchLog((lines) => changed({ data: textOfLines(lines), mimeType: 'text/plain' })),
      complete: async () => ['100', '200', '1000', String(LIMITS.logLines)],
    },
  );
}

function configResource({ device }: ResourceParts, which: 'running' | 'startup'): ResourceDefinition {
  return describedResource(
    {
      name: `${which}-config`,
      title: which === 'running' ? 'Running configuration' : 'Start-up configuration',
      description: 'Configuration text without its secrets',
      uriTemplate: `network:///file/${which}-config`,
      mimeType: 'text/plain',
    },
    {
      page: async (_uri, _request, { signal }) => ({
        data: redactConfiguration(await device.configuration(which, signal)),
      }),
    },
  );
}

function crashResource({ device }: ResourceParts): ResourceDefinition {
  return describedResource(
    {
      name: 'crashinfo',
      title: 'Crashes',
      description: 'Crash files of a slot; a router in one piece has slot 0',
      uriTemplate: 'network:///file/{slot}/crashinfo',
      mimeType: 'application/json',
    },
    {
      serves: (uri) => uri === 'network:///file/0/crashinfo',
      page: async (_uri, _request, { signal }) => {
        const found = await device.crashes(signal);
        const crashes = found.filter((entry) => entry.folder !== true);
        const unreadable = found.filter((entry) => entry.folder === true).map(({ file }) => file);
        return {
          data: crashes as unknown as JsonValue,
          // Crashes that cannot be seen are said beside the array, which holds crashes alone.
          ...(unreadable.length === 0 ? {} : { meta: { 'hardware-slot': '0', unreadable } }),
        };
      },
      meta: { 'hardware-slot': '0' },
      complete: async () => ['0'],
    },
  );
}

const INTERFACES: PathStep = { module: 'openconfig-interfaces', name: 'interfaces', keys: {} };

/** Without those that the caller may not read, and without the leaves that it may not. */
function shownInterfaces(
  entries: readonly InterfaceState[],
  datastores: Datastores,
  context: CallContext,
): readonly JsonObject[] {
  const made = { interface: entries.map((entry) => openconfigInterface(entry, 'operational')) };
  return (datastores.prune(made, [INTERFACES], context)['interface'] ?? []) as readonly JsonObject[];
}

/** Where RFC 8349 has the routes of a family. */
function routesPath(family: AddressFamily): readonly PathStep[] {
  const plain = (name: string) => ({ module: 'ietf-routing', name, keys: {} });
  return [plain('routing'), plain('ribs'), { ...plain('rib'), keys: { name: ribName(family) } }, plain('routes')];
}

function stepsOrNone(path: string): readonly PathStep[] | undefined {
  const steps = parsePath(path);
  return steps.ok ? steps.value : undefined;
}

/** RFC 8785 text that was written directly. */
function writtenPage(text: string, nextCursor: string | undefined): ResourcePage {
  return {
    text,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    mimeType: YANG_JSON,
    get data() {
      return JSON.parse(text) as JsonValue;
    },
  };
}

/** The text of `ietf-mcp` (TS-33), which says nothing of the device. */
function moduleResource(): ResourceDefinition {
  return describedResource(
    {
      name: 'ietf-mcp',
      title: 'YANG module ietf-mcp',
      description: 'The text of the YANG module under which the agent describes itself',
      uriTemplate: IETF_MCP_URI,
      mimeType: 'application/yang',
    },
    { honoursPaths: true, page: async () => ({ data: IETF_MCP_TEXT }) },
  );
}

/** JSON, or XML where the caller asks for it (TS-25). */
function yangPage(data: JsonObject, request: ReadRequest, datastores: Datastores): ResourcePage {
  if (request.accept === YANG_XML) return { data: yangXml(data, datastores.namespaceOf), mimeType: YANG_XML };
  return { data, mimeType: YANG_JSON };
}

/** `mcp://<device>/<module>:<path>` (TS-1), operational data. */
export function yangResource(
  parts: Pick<ResourceParts, 'datastores' | 'ticker'> & { readonly node: string },
): ResourceDefinition {
  const { datastores, ticker, node } = parts;
  const prefix = `mcp://${node}/`;
  return describedResource(
    {
      name: 'yang',
      title: 'YANG data',
      description: 'Operational data under a YANG path',
      uriTemplate: `${prefix}{module}:{path}`,
      mimeType: YANG_JSON,
    },
    {
      serves: (uri) => uri.startsWith(prefix) && uri.length > prefix.length,
      honoursPaths: true,
      pathOf: (uri) => stepsOrNone(uri.slice(prefix.length)),
      page: async (uri, request, context) =>
        yangPage(await getOrNothing(datastores, uri.slice(prefix.length), context), request, datastores),
      list: async ({ signal }) =>
        (await datastores.modules(signal)).flatMap(({ name }) =>
          ROOTS[name] === undefined ? [] : [{ uri: `${prefix}${name}:${ROOTS[name]}`, name, mimeType: YANG_JSON }],
        ),
      complete: async (place, value, { signal }) =>
        place === 'module'
          ? (await datastores.modules(signal)).map(({ name }) => name).filter((name) => name.startsWith(value))
          : [],
      watch: (_uri, changed) => ticker.every(NETWORK_LIMITS.counterPollMs, changed),
    },
  );
}

/** The node to begin with in each module. */
const ROOTS: Readonly<Record<string, string>> = {
  'ietf-interfaces': 'interfaces',
  'ietf-mcp': 'mcp',
  'ietf-routing': 'routing',
  'ietf-yang-library': 'yang-library',
  'openconfig-interfaces': 'interfaces',
  'openconfig-bgp': 'bgp/neighbors',
  'frr-interface': 'lib',
  'frr-vrf': 'lib',
};

function getOrNothing(datastores: Datastores, path: string, context: CallContext): Promise<JsonObject> {
  return datastores.get(path, 'operational', context);
}

function byName(one: InterfaceState, other: InterfaceState): number {
  return one.name < other.name ? -1 : 1;
}

function cursorAfter(name: string): string {
  return Buffer.from(`i-${name}`).toString('base64url');
}

function nameAfter(cursor: string): string {
  const text = cursor.length > 256 ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  if (text.startsWith('i-')) return text.slice(2);
  throw new ParleyError('caller/bad-cursor', 'expected a cursor of this list, got another', {
    data: { path: 'cursor' },
  });
}

function textOfLines(lines: readonly string[]): string {
  return redactText(lines.map((line) => `${line}\n`).join(''));
}
