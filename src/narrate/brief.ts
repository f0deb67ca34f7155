// What a language model is told: ids, enumerations and numbers. Nodes are N1, N2, …, interfaces I1, I2, …, findings F1,
// F2, …; no name, no rule, no text of any device ever stands in a prompt, so none can give it orders (TS-17).
import type { JsonObject } from '#base/json.ts';
import type { Diagnosis } from '#model/finding.ts';
import { interfaceResource, nodeResource, type ResourceId } from '#model/names.ts';

export type Brief = {
  /** Stand-in → resource id: `N1` → `node/pe1`. */
  readonly resources: ReadonlyMap<string, ResourceId>;
  readonly faults: readonly string[];
  /** Stand-in → index of the finding. */
  readonly findings: ReadonlyMap<string, number>;
  readonly measurements: JsonObject;
  readonly verdict: JsonObject;
};

/** Faults that a model may name: those that the rules know of paths that lose packets. */
const FAULTS = ['packet_loss', 'acl_misconfig'];

export function briefOf(diagnosis: Diagnosis): Brief {
  const ids = new Map<ResourceId, string>();
  const standIn = (resource: ResourceId): string => {
    const letter = resource.startsWith('interface/') ? 'I' : 'N';
    const known = ids.get(resource);
    if (known !== undefined) return known;
    const id = `${letter}${[...ids.values()].filter((entry) => entry.startsWith(letter)).length + 1}`;
    ids.set(resource, id);
    return id;
  };
  const segments = diagnosis.segments.map((segment) => ({
    from: standIn(nodeResource(segment.from)),
    to: standIn(nodeResource(segment.to)),
    ...(segment.ifname === undefined
      ? {}
      : { interface: standIn(interfaceResource({ node: segment.from, ifname: segment.ifname })) }),
    probesSent: segment.probesSent,
    probesLost: segment.probesLost,
    ...(segment.counters === undefined ? {} : { counters: { ...segment.counters } }),
  }));
  const faults = [...new Set([...FAULTS, ...diagnosis.candidates.map((candidate) => candidate.fault)])].filter(
    (fault) => /^[a-z_]{1,64}$/.test(fault),
  );
  const suspects = diagnosis.candidates
    .filter((candidate) => faults.includes(candidate.fault))
    .map((candidate) => ({ resource: standIn(candidate.resource), fault: candidate.fault }));
  return {
    resources: new Map([...ids].map(([resource, id]) => [id, resource])),
    faults,
    findings: new Map(diagnosis.findings.map((_, index) => [`F${index + 1}`, index])),
    measurements: { segments, suspects },
    verdict: {
      verdict: diagnosis.verdict.kind,
      findings: diagnosis.findings.map((finding, index) => ({
        id: `F${index + 1}`,
        fault: faults.includes(finding.fault) ? finding.fault : 'other',
        confidence: finding.confidence,
        ...(typeof finding.details['lossPercent'] === 'number' ? { lossPercent: finding.details['lossPercent'] } : {}),
      })),
    },
  };
}
