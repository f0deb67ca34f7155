// The tools that change this node, where it has a configuration helper: who may, who must agree, and what must hold afterwards.
// Until consent objects exist the gate is the operator's own setting, and that says no.
import type { Log } from '#base/log.ts';
import type { Config } from '#config/schema.ts';
import type { Access } from '#model/access.ts';
import type { ConsentGate } from '#model/configuration.ts';
import type { ToolOffer } from '#model/offer.ts';
import { createChanges } from '#network/change.ts';
import { configureOffers } from '#network/configure.ts';
import { fileOffers } from '#network/files.ts';
import { createHealthGate, type HealthGateParts } from './health-gate.ts';

export function createConfigureOffers(
  config: Config['configure'],
  parts: HealthGateParts & { readonly log: Log; readonly access: Access },
): readonly ToolOffer[] {
  const { configuration } = parts.router;
  if (configuration === undefined) return [];
  const changes = createChanges({
    configuration,
    gate: createHealthGate(parts),
    consent: createConsentGate(config),
    access: parts.access,
    log: parts.log,
  });
  return [...configureOffers(configuration, changes), ...fileOffers(configuration, changes)];
}

function createConsentGate(config: Config['configure']): ConsentGate {
  return {
    ask: async () =>
      config.consent === 'off'
        ? { granted: true, reason: 'consent is off here' }
        : { granted: false, reason: 'this node takes no change without consent, and nobody can give it yet' },
  };
}
