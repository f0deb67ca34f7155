// The device's own YANG modules, asked of it by get-schema (RFC 6022) as far as its data needs them, each once a session. They are device
// text: parsed within bounds, and used for nothing but the form of its data. A device that does not tell them has no YANG for us.

import { ParleyError } from '#base/error.ts';
import { buildSchema, neededBy, type YangSchema } from '#codec/yang/schema.ts';
import { countStatements, parseYang, type YangStatement } from '#codec/yang/statements.ts';
import { DRIVER_LIMITS } from '../limits.ts';
import type { NetconfDevice } from './link.ts';
import { child, children, escapeXml } from './xml.ts';

export type AnnouncedModule = { readonly name: string; readonly namespace: string; readonly revision: string };

export type DeviceSchemas = {
  /** What the device announces: its hello, and its YANG library where it has one. */
  readonly modules: readonly AnnouncedModule[];
  /** The schema of these modules and of all that they need. */
  of(modules: readonly string[]): Promise<YangSchema>;
};

const MONITORING = 'urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring';
const LIBRARY = 'urn:ietf:params:xml:ns:yang:ietf-yang-library';

export async function openSchemas(device: NetconfDevice): Promise<DeviceSchemas> {
  const modules = mergeModules(modulesOfHello(device.session.capabilities), await modulesOfLibrary(device));
  const texts = new Map<string, Promise<YangStatement | undefined>>();
  const canAsk = modules.some(({ namespace }) => namespace === MONITORING);
  let statements = 0;
  let built: { readonly names: ReadonlySet<string>; readonly schema: YangSchema } | undefined;
  const textOf = (name: string) => {
    const known = texts.get(name);
    if (known !== undefined || texts.size >= DRIVER_LIMITS.yangModules) return known ?? Promise.resolve(undefined);
    const asked = statements > DRIVER_LIMITS.yangDeviceStatements ? undefined : readModule(device, name);
    const kept = Promise.resolve(asked).then((text) => {
      if (text === undefined) return undefined;
      statements += countStatements(text);
      return statements > DRIVER_LIMITS.yangDeviceStatements ? undefined : text;
    });
    texts.set(name, kept);
    return kept;
  };
  return {
    modules,
    async of(wanted) {
      if (!canAsk) throw noSchema();
      if (built !== undefined && wanted.every((name) => built!.names.has(name))) return built.schema;
      const names = new Set([...(built?.names ?? []), ...wanted]);
      const found: YangStatement[] = [];
      // A set grows while it is walked: what a module needs is looked at after it.
      for (const name of names) {
        const text = await textOf(name);
        if (text === undefined) continue;
        found.push(text);
        for (const needed of neededBy(text)) names.add(needed);
      }
      const { namespaces, ...trees } = buildSchema(found);
      // Identities may be of modules that nothing here needs but their name.
      const known = modules.map(({ name, namespace }) => [name, namespace] as const);
      built = { names, schema: { ...trees, namespaces: new Map([...known, ...namespaces]) } };
      return built.schema;
    },
  };
}

/** `urn:…?module=ietf-interfaces&revision=2014-05-08`, RFC 6020 §5.6.4. */
function modulesOfHello(capabilities: readonly string[]): readonly AnnouncedModule[] {
  return capabilities.flatMap((capability) => {
    const [namespace = '', query = ''] = capability.split('?');
    const parameters = new URLSearchParams(query);
    const name = parameters.get('module');
    return name === null ? [] : [{ name, namespace, revision: parameters.get('revision') ?? '' }];
  });
}

/** Devices of base:1.1 with :yang-library may leave their modules out of the hello (RFC 7895 §2, RFC 8525). */
async function modulesOfLibrary({ session, operations }: NetconfDevice): Promise<readonly AnnouncedModule[]> {
  if (!session.capabilities.some((capability) => capability.includes(':yang-library:'))) return [];
  const data = await operations.get(`<modules-state xmlns="${LIBRARY}"/><yang-library xmlns="${LIBRARY}"/>`);
  const state = child(data, 'modules-state');
  const sets = children(child(data, 'yang-library'), 'module-set');
  const entries = [
    ...children(state, 'module').filter((entry) => child(entry, 'conformance-type')?.text.trim() !== 'import'),
    ...sets.flatMap((set) => children(set, 'module')),
  ];
  return entries.map((entry) => ({
    name: child(entry, 'name')?.text.trim() ?? '',
    namespace: child(entry, 'namespace')?.text.trim() ?? '',
    revision: child(entry, 'revision')?.text.trim() ?? '',
  }));
}

function mergeModules(...lists: readonly (readonly AnnouncedModule[])[]): readonly AnnouncedModule[] {
  const sound = lists.flat().filter(({ name }) => /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(name));
  return [...new Map(sound.map((entry) => [entry.name, entry])).values()].slice(0, DRIVER_LIMITS.yangModules);
}

/** Undefined where the device does not have it or it is no YANG: its nodes are then unknown, never guessed. */
async function readModule({ session }: NetconfDevice, name: string): Promise<YangStatement | undefined> {
  const body = `<get-schema xmlns="${MONITORING}"><identifier>${escapeXml(name)}</identifier></get-schema>`;
  const reply = await session.rpc(body).catch((error) => {
    if (error instanceof ParleyError && error.code === 'node/netconf-refused') return undefined;
    throw error;
  });
  const parsed = parseYang(reply === undefined ? '' : (child(reply, 'data')?.text ?? ''));
  return parsed.ok ? parsed.value : undefined;
}

function noSchema(): ParleyError {
  return new ParleyError(
    'node/not-supported',
    'expected a device that tells its YANG modules, got one without get-schema',
    {
      data: { retryPossible: false },
    },
  );
}
