// Wires the tools that change this node, if it has a configuration helper: access rules, consent and health gate.
import type { Log } from '#base/log.ts';
import type { Access } from '#model/access.ts';
import type { ConsentGate } from '#model/consent.ts';
import type { ResourceDefinition, ToolDefinition } from '#model/definition.ts';
import { createChanges } from '#network/configuration/change.ts';
import { withConfigResources } from '#network/configuration/config-resources.ts';
import { configureTools } from '#network/configuration/configure.ts';
import { fileTools } from '#network/configuration/files.ts';
import { absentConfigureTools } from '#network/configuration/not-configurable.ts';
import { createHealthGate, type HealthGateParts } from '../serving/health-gate.ts';

export type ConfigureTools = {
  readonly tools: readonly ToolDefinition[];
  /** Those of the device, with what can be written among them. */
  readonly resources: readonly ResourceDefinition[];
};

export function createConfigureTools(
  parts: HealthGateParts & {
    readonly log: Log;
    readonly access: Access;
    readonly consent: ConsentGate;
    readonly resources: readonly ResourceDefinition[];
  },
): ConfigureTools {
  const { configuration } = parts.router;
  if (configuration === undefined) return { tools: absentConfigureTools(), resources: parts.resources };
  const changes = createChanges({
    configuration,
    gate: createHealthGate(parts),
    consent: parts.consent,
    access: parts.access,
    clock: parts.clock,
    log: parts.log,
  });
  return {
    tools: [...configureTools(configuration, changes), ...fileTools(configuration, changes, parts)],
    resources: withConfigResources(parts.resources, configuration, changes),
  };
}
