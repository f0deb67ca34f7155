// What a language model gets: ids, enumerations and numbers. Nodes are N1, N2, …, interfaces I1, I2, …, links L1, L2, …,
// findings F1, F2, …; no name, no rule, no text of any device ever stands in a prompt, so none can give it orders (TS-17).
import type { JsonObject } from '#base/json.ts';
import { CLUE_KINDS, type Clue, clueValuesOf, type FaultForm } from '#model/clue.ts';
import type { Confidence, Diagnosis, SegmentLoss } from '#model/finding.ts';
import { interfaceResource, nodeResource, type ResourceId } from '#model/names.ts';
import { NARRATE_LIMITS } from './limits.ts';

export type Brief = {
  /** Stand-in → resource id: `N1` → `node/pe1`. */
  readonly resources: ReadonlyMap<string, ResourceId>;
  readonly faults: readonly FaultForm[];
  readonly measurements: JsonObject;
  readonly verdict: JsonObject;
};

const LETTERS = { node: 'N', interface: 'I', link: 'L' } as const;
const CONFIDENCES: readonly Confidence[] = ['certain', 'likely', 'possible'];

/** `faults` are those of the rules' own table; nothing else can be named. */
export function briefOf(diagnosis: Diagnosis, faults: readonly FaultForm[]): Brief {
  const standIns = createStandIns();
  const segments = worstFirst(diagnosis.segments)
    .slice(0, NARRATE_LIMITS.modelClues)
    .map((segment) => segmentOf(segment, standIns.of));
  const clues = diagnosis.clues.slice(0, NARRATE_LIMITS.modelClues).map((clue) => clueOf(clue, standIns.of));
  return {
    resources: standIns.resources,
    faults,
    measurements: { segments, clues },
    verdict: { verdict: 'fault', findings: findingsOf(diagnosis, faults) },
  };
}

function worstFirst(segments: readonly SegmentLoss[]): readonly SegmentLoss[] {
  return [...segments].sort((one, other) => other.lossPercent - one.lossPercent);
}

function segmentOf(segment: SegmentLoss, standIn: (resource: ResourceId) => string): JsonObject {
  const { from, to, ifname, probesSent, probesLost, counters } = segment;
  return {
    from: standIn(nodeResource(from)),
    to: standIn(nodeResource(to)),
    ...(ifname === undefined ? {} : { interface: standIn(interfaceResource({ node: from, ifname })) }),
    ...numbersOf({ probesSent, probesLost }),
    ...(counters === undefined ? {} : { counters: numbersOf(counters) }),
  };
}

function numbersOf(values: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
}

/** Made anew out of the closed lists, from whichever node the clue came. */
function clueOf(clue: Clue, standIn: (resource: ResourceId) => string): JsonObject {
  const kind = CLUE_KINDS.find((each) => each === clue.kind) ?? 'other';
  return { kind, at: clue.at.map(standIn), ...clueValuesOf(clue.values) };
}

function findingsOf({ findings }: Diagnosis, faults: readonly FaultForm[]): readonly JsonObject[] {
  return findings.map((finding, index) => ({
    id: `F${index + 1}`,
    fault: faults.find(({ fault }) => fault === finding.fault)?.fault ?? 'other',
    confidence: CONFIDENCES.find((each) => each === finding.confidence) ?? 'possible',
    ...(typeof finding.details['lossPercent'] === 'number' ? { lossPercent: finding.details['lossPercent'] } : {}),
  }));
}

function createStandIns() {
  const ids = new Map<ResourceId, string>();
  const resources = new Map<string, ResourceId>();
  const counts = { node: 0, interface: 0, link: 0 };
  return {
    resources,
    of: (resource: ResourceId): string => {
      const known = ids.get(resource);
      if (known !== undefined) return known;
      const form = formOf(resource);
      const id = `${LETTERS[form]}${++counts[form]}`;
      ids.set(resource, id);
      resources.set(id, resource);
      return id;
    },
  };
}

export function formOf(resource: ResourceId): FaultForm['form'] {
  if (resource.startsWith('interface/')) return 'interface';
  return resource.startsWith('link/') ? 'link' : 'node';
}
