// Reading a device's data: by module or by path, of one datastore, as RFC 7951 JSON. Only what the path names is asked of the device; an
// answer's own namespaces decide which of its modules are needed to read it.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import type { YangSchema } from '#codec/yang/schema.ts';
import type { YangDatastore } from '#model/router/device-port.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { filterOf, jsonOfData, namespacesIn } from './data.ts';
import { redactDenied, redactedXml } from './denied.ts';
import type { NetconfDevice, NetconfLink } from './link.ts';
import { type DeviceSchemas, openSchemas } from './schemas.ts';
import { escapeXml, type XmlElement } from './xml.ts';

export type NetconfReader = {
  schemas(signal?: AbortSignal): Promise<DeviceSchemas>;
  /** All of the module, or what `path` names, without what the device's modules deny; an empty object where there is nothing. */
  read(module: string, datastore: YangDatastore, path?: string, signal?: AbortSignal): Promise<JsonObject>;
  /** The whole datastore as the device sends it, without secrets. */
  all(datastore: Exclude<YangDatastore, 'operational'>, signal?: AbortSignal): Promise<XmlElement>;
  /** A notification without secrets. Rejects where the device cannot be asked what they are. */
  notification(notification: XmlElement): Promise<XmlElement>;
  /** As it is: what a change is made from. */
  json(device: NetconfDevice, data: XmlElement, modules: readonly string[]): Promise<JsonObject>;
};

export function createNetconfReader(link: NetconfLink): NetconfReader {
  // A session's schemas end with it: a device that comes back may have other software.
  const opened = new WeakMap<NetconfDevice['session'], Promise<DeviceSchemas>>();
  const schemasOf = (device: NetconfDevice): Promise<DeviceSchemas> => {
    const known = opened.get(device.session) ?? openSchemas(device);
    opened.set(device.session, known);
    return known;
  };
  const schemaOf = async (device: NetconfDevice, data: XmlElement, modules: readonly string[]) => {
    const schemas = await schemasOf(device);
    const seen = namespacesIn(data);
    const answered = schemas.modules.filter(({ namespace }) => seen.has(namespace)).map(({ name }) => name);
    return schemas.of([...modules, ...answered]);
  };
  const parsed = async (device: NetconfDevice, data: XmlElement, modules: readonly string[]) => {
    const schema = await schemaOf(device, data, modules);
    return { schema, tree: jsonOfData(schema, data) };
  };
  return {
    schemas: async (signal) => schemasOf(await link.use(signal)),
    async read(module, datastore, path, signal) {
      const device = await link.use(signal);
      const schema = await (await schemasOf(device)).of([module, ...modulesIn(path)]);
      const filter = path === undefined ? rootsOf(schema, module) : pathFilter(schema, path);
      if (filter === undefined) return {};
      const { operations } = device;
      const data =
        datastore === 'operational' ? await operations.get(filter) : await operations.getConfig(datastore, filter);
      const answer = await parsed(device, data, [module]);
      return redactDenied(answer.schema, answer.tree);
    },
    async all(datastore, signal) {
      const device = await link.use(signal);
      const data = await device.operations.getConfig(datastore);
      return redactedXml(data, await schemaOf(device, data, []).catch(orUntold));
    },
    async notification(notification) {
      const schema = await schemaOf(await link.use(), notification, []).catch(orUntold);
      return redactedXml(notification, schema, schema?.notifications);
    },
    json: async (device, data, modules) => (await parsed(device, data, modules)).tree,
  };
}

/** A device that does not tell its modules cannot say what they deny. */
function orUntold(error: unknown): undefined {
  if (error instanceof ParleyError && error.code === 'node/not-supported') return undefined;
  throw error;
}

/** Modules that the path itself names. */
function modulesIn(path: string | undefined): readonly string[] {
  const steps = path === undefined ? undefined : parsePath(path);
  return steps?.ok ? steps.value.flatMap(({ module }) => (module === undefined ? [] : [module])) : [];
}

function rootsOf(schema: YangSchema, module: string): string | undefined {
  const names = [...schema.roots.values()].filter((node) => node.module === module).map(({ name }) => name);
  const namespace = escapeXml(schema.namespaces.get(module) ?? '');
  return names.length === 0 ? undefined : names.map((name) => `<${name} xmlns="${namespace}"/>`).join('');
}

/** Undefined for a path that this device's schema does not have: nothing is there, and nothing is asked. */
function pathFilter(schema: YangSchema, path: string): string | undefined {
  const steps = parsePath(path);
  if (!steps.ok) throw new ParleyError('caller/yang-syntax', steps.reason, { data: { path: path.slice(0, 200) } });
  const filter = filterOf(schema, steps.value);
  return filter.ok ? filter.value : undefined;
}
