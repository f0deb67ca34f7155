// The tools that change this node, where it has a configuration helper: who may, who must agree, and what must hold afterwards.
// Until consent objects exist the gate is the operator's own setting, and that says no.
import type { Log } from '#base/log.ts';
import type { Config } from '#config/schema.ts';
import type { ConsentGate } from '#model/configuration.ts';
import type { Party } from '#model/identity.ts';
import type { ToolOffer } from '#model/offer.ts';
import { createChanges } from '#network/change.ts';
import { configureOffers } from '#network/configure.ts';
import { fileOffers } from '#network/files.ts';
import { createHealthGate, type HealthGateParts } from './health-gate.ts';

export function createConfigureOffers(
  config: Config['configure'],
  parts: HealthGateParts & { readonly log: Log },
): readonly ToolOffer[] {
  const { configuration } = parts.router;
  if (configuration === undefined) return [];
  const changes = createChanges({
    configuration,
    gate: createHealthGate(parts),
    consent: createConsentGate(config),
    isAdmin: (party) => isAdmin(config, party),
    log: parts.log,
  });
  return [...configureOffers(configuration, changes), ...fileOffers(configuration, changes)];
}

/** Operators by name; a node or a controller never is one. */
function isAdmin(config: Config['configure'], party: Party): boolean {
  return party.kind === 'operator' && config.admins.includes(party.name);
}

function createConsentGate(config: Config['configure']): ConsentGate {
  return {
    ask: async () =>
      config.consent === 'admins'
        ? { granted: true, reason: 'an admin asked' }
        : { granted: false, reason: 'this node takes no change without consent, and nobody can give it yet' },
  };
}
