// The tools that change this node, where it has a configuration helper: who may, who must agree, and what must hold afterwards.
import type { Log } from '#base/log.ts';
import type { Access } from '#model/access.ts';
import type { ConsentGate } from '#model/consent.ts';
import type { ResourceOffer, ToolOffer } from '#model/definition.ts';
import { createChanges } from '#network/configuration/change.ts';
import { withConfigResources } from '#network/configuration/config-resources.ts';
import { configureOffers } from '#network/configuration/configure.ts';
import { fileOffers } from '#network/configuration/files.ts';
import { absentConfigureOffers } from '#network/configuration/not-configurable.ts';
import { createHealthGate, type HealthGateParts } from '../serving/health-gate.ts';

export type ConfigureOffers = {
  readonly tools: readonly ToolOffer[];
  /** Those of the device, with what can be written among them. */
  readonly resources: readonly ResourceOffer[];
};

export function createConfigureOffers(
  parts: HealthGateParts & {
    readonly log: Log;
    readonly access: Access;
    readonly consent: ConsentGate;
    readonly resources: readonly ResourceOffer[];
  },
): ConfigureOffers {
  const { configuration } = parts.router;
  if (configuration === undefined) return { tools: absentConfigureOffers(), resources: parts.resources };
  const changes = createChanges({
    configuration,
    gate: createHealthGate(parts),
    consent: parts.consent,
    access: parts.access,
    clock: parts.clock,
    log: parts.log,
  });
  return {
    tools: [...configureOffers(configuration, changes), ...fileOffers(configuration, changes, parts)],
    resources: withConfigResources(parts.resources, configuration, changes),
  };
}
