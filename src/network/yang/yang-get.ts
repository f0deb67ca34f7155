// The tool `network.yang.get` (NET-2, NET-15): data under one path of one datastore, as RFC 7951 JSON or as XML (TS-25).

import type { ToolDefinition } from '#model/definition.ts';
import type { DevicePort, YangDatastore } from '#model/router/device-port.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { contentIdOf } from '../device/content-id.ts';
import type { Datastores } from './datastores.ts';
import { yangXml } from './xml.ts';

export function yangGetTool(parts: { readonly datastores: Datastores; readonly device: DevicePort }): ToolDefinition {
  return {
    name: 'network.yang.get',
    title: 'YANG data',
    description: "Reads YANG data, such as /openconfig-interfaces:interfaces/interface[name='eth1'].",
    capability: 'network.yang.get',
    mutability: 'read',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, maxLength: 1_024, description: "With [name='x'] or =x for list entries" },
        datastore: {
          enum: ['running', 'operational', 'candidate', 'startup'],
          default: 'operational',
          description: 'Configuration, or with operational also state and counters',
        },
        format: { enum: ['json', 'xml'], default: 'json', description: 'RFC 7951 JSON or XML' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        datastore: { type: 'string' },
        data: { type: 'object', description: 'RFC 7951' },
        xml: { type: 'string' },
        'content-id': { type: 'string' },
      },
      required: ['path', 'datastore', 'content-id'],
    },
    callers: ['node', 'operator', 'controller'],
    honoursPaths: true,
    touches: (args) => {
      const path = String(args['path']);
      const steps = parsePath(path);
      // What is no path is refused as one by the call itself.
      return steps.ok ? [{ operations: ['read'], names: [steps.value], path }] : [];
    },
    available: () => parts.device.native !== undefined,
    call: async (args, context) => {
      const path = String(args['path']);
      const datastore = (args['datastore'] ?? 'operational') as YangDatastore;
      const data = await parts.datastores.get(path, datastore, context);
      const head = { path, datastore, 'content-id': contentIdOf(data) };
      return args['format'] === 'xml'
        ? { ...head, xml: yangXml(data, parts.datastores.namespaceOf) }
        : { ...head, data };
    },
  };
}
