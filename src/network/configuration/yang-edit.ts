// YANG edits of the candidate as configuration lines: a small, closed set of paths, everything else is refused with its path. Pure.
// The MTU is the kernel's on Linux and no part of FRR's configuration, so it is refused rather than swallowed.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';

export type EditLines =
  | { readonly ok: true; readonly value: readonly string[] }
  | {
      readonly ok: false;
      /** `path`: nothing here can be configured by it; `payload`: its value is not what the path takes. */
      readonly kind: 'path' | 'payload';
      readonly reason: string;
      readonly path: string;
    };

type Fault = Pick<Extract<EditLines, { readonly ok: false }>, 'kind' | 'reason'>;
type Lines = readonly string[] | Fault;

const unsupported = (reason: string): Fault => ({ kind: 'path', reason });
const badPayload = (reason: string): Fault => ({ kind: 'payload', reason });

/** A path's form, and the lines for what it captured, or why there are none. */
type Mapping = {
  readonly path: RegExp;
  readonly lines: (captured: readonly string[], value: JsonValue | undefined, remove: boolean) => Lines;
};

const NAME = String.raw`\[name=['"]([A-Za-z0-9_][A-Za-z0-9_.:@-]{0,14})['"]\]`;
const INTERFACE = `/(?:openconfig-interfaces|ietf-interfaces):interfaces/interface${NAME}`;
const ISIS = `/frr-interface:lib/interface${NAME}/frr-isisd:isis`;
const ROUTE = String.raw`/ietf-routing:routing/.*/static-routes/(?:[a-z0-9-]+:)?(ipv4|ipv6)/route\[destination-prefix=['"]([0-9A-Fa-f:./]{3,49})['"]\]`;
const MTU = unsupported(
  'expected a path that can be configured, the MTU is not part of the routing configuration of this node',
);

const MAPPINGS: readonly Mapping[] = [
  {
    path: new RegExp(`^${INTERFACE}$`),
    lines: ([name], value, remove) => (remove ? [`no interface ${name}`] : wholeInterface(name!, value)),
  },
  {
    path: new RegExp(`^${INTERFACE}/(?:config/)?description$`),
    lines: ([name], value, remove) => below(`interface ${name}`, leaf('description', value, remove)),
  },
  {
    path: new RegExp(`^${INTERFACE}/(?:config/)?enabled$`),
    lines: ([name], value, remove) => below(`interface ${name}`, enabled(remove ? true : value)),
  },
  { path: new RegExp(`^${INTERFACE}/(?:config/)?mtu$`), lines: () => MTU },
  {
    path: new RegExp(`^${ISIS}/metric$`),
    lines: ([name], value, remove) => below(`interface ${name}`, leaf('isis metric', value, remove)),
  },
  {
    path: new RegExp(`^${ISIS}/password$`),
    lines: ([name], value, remove) => below(`interface ${name}`, password(value, remove)),
  },
  {
    path: new RegExp(`^${ROUTE}$`),
    lines: ([family, prefix], value, remove) => route(family!, prefix!, value, remove),
  },
];

export function linesOfEdits(edits: readonly JsonValue[]): EditLines {
  const all: string[] = [];
  for (const edit of edits) {
    const { path, value, operation } = isJsonObject(edit) ? edit : ({} as JsonObject);
    if (typeof path !== 'string')
      return { ok: false, kind: 'payload', reason: 'expected an edit with a path, got one without', path: '' };
    const found = MAPPINGS.map((mapping) => ({ mapping, match: mapping.path.exec(path) })).find(
      ({ match }) => match !== null,
    );
    const lines =
      found?.mapping.lines(found.match!.slice(1), value, operation === 'delete') ??
      unsupported('expected a path that can be configured here');
    if ('kind' in lines) return { ok: false, ...lines, path };
    all.push(...lines, 'exit');
  }
  return { ok: true, value: all };
}

function below(head: string, lines: Lines): Lines {
  return 'kind' in lines ? lines : [head, ...lines.map((line) => ` ${line}`)];
}

function leaf(words: string, value: JsonValue | undefined, remove: boolean): Lines {
  if (remove) return [`no ${words}`];
  return typeof value === 'string' || typeof value === 'number'
    ? [`${words} ${value}`]
    : badPayload(`expected a text or number for ${words}`);
}

function enabled(value: JsonValue | undefined): Lines {
  if (typeof value !== 'boolean') return badPayload('expected true or false for enabled');
  return [value ? 'no shutdown' : 'shutdown'];
}

/** `{password, password-type: clear | md5}`, as FRR's own model has it. */
function password(value: JsonValue | undefined, remove: boolean): Lines {
  if (remove) return ['no isis password'];
  if (value === undefined || !isJsonObject(value)) return badPayload('expected password and password-type');
  return [`isis password ${String(value['password-type'] ?? 'md5')} ${String(value['password'] ?? '')}`];
}

function route(family: string, prefix: string, value: JsonValue | undefined, remove: boolean): Lines {
  const words = family === 'ipv4' ? 'ip route' : 'ipv6 route';
  const hop =
    value !== undefined && isJsonObject(value) && isJsonObject(value['next-hop'] as JsonValue)
      ? (value['next-hop'] as JsonObject)
      : {};
  const target = hop['next-hop-address'] ?? hop['outgoing-interface'] ?? hop['special-next-hop'];
  if (typeof target !== 'string')
    return badPayload('expected next-hop with next-hop-address, outgoing-interface or special-next-hop');
  return [`${remove ? 'no ' : ''}${words} ${prefix} ${target}`];
}

/** OpenConfig and IETF forms of one interface; leaves that are not known here are refused, never left out in silence. */
function wholeInterface(name: string, value: JsonValue | undefined): Lines {
  if (value === undefined || !isJsonObject(value)) return badPayload('expected an interface object');
  const { config, subinterfaces, ...rest } = value;
  const flat = { ...rest, ...(config !== undefined && isJsonObject(config) ? config : {}) } as JsonObject;
  const lines: string[] = [];
  for (const [leafName, leafValue] of Object.entries(flat)) {
    if (leafName === 'name' || leafName === 'type') continue;
    const made =
      leafName === 'description'
        ? leaf('description', leafValue, false)
        : leafName === 'enabled'
          ? enabled(leafValue)
          : leafName === 'mtu'
            ? MTU
            : unsupported(`expected a known leaf, got ${leafName.slice(0, 64)}`);
    if ('kind' in made) return made;
    lines.push(...made);
  }
  return below(`interface ${name}`, [...lines, ...addressesOf(subinterfaces)]);
}

/** Every `ip` with `prefix-length` below subinterface 0. */
function addressesOf(value: JsonValue | undefined): readonly string[] {
  const found: string[] = [];
  const walk = (node: JsonValue | undefined): void => {
    if (Array.isArray(node)) {
      for (const child of node) walk(child);
      return;
    }
    if (node === undefined || node === null || typeof node !== 'object') return;
    const { ip, 'prefix-length': length } = node as JsonObject;
    if (typeof ip === 'string' && typeof length === 'number')
      found.push(`${ip.includes(':') ? 'ipv6' : 'ip'} address ${ip}/${length}`);
    for (const [name, child] of Object.entries(node)) if (name !== 'ip') walk(child);
  };
  walk(value);
  return [...new Set(found)];
}
