// Expected against observed: what a baseline or a topology file names and the network no longer has is a symptom; what it has
// besides is a remark (additionsOf). Asks only nodes that could tell; what another symptom accounts for is not told twice.
import type { Expectation } from '#model/baseline.ts';
import type { Remark } from '#model/finding.ts';
import { nodeResource } from '#model/names.ts';
import { canTell, PROFILE_PARTS, type Profile, type ProfileEntry, type ProfilePart } from '#model/snapshot.ts';
import type { CaseFile } from '../engine/facts.ts';
import type { Symptom } from '../engine/symptom.ts';
import { nodeRef } from '../network/node-ref.ts';
import { controlSymptom } from './expected-control.ts';
import { linkSymptom, roundTripSymptoms } from './expected-links.ts';
import { keyOf, profileOf } from './snapshot.ts';

/** Additions that a verdict names; the rest is counted. */
const ADDITIONS = 8;
const NAMED_ADDITIONS: readonly ProfilePart[] = ['link', 'adjacency', 'session'];

export function expectedSymptoms(file: CaseFile): readonly Symptom[] {
  if (file.expected.length === 0) return [];
  const now = profileOf(file);
  const there = new Map(now.entries.map((entry) => [keyOf(entry), entry]));
  const found: Symptom[] = [];
  for (const expectation of file.expected) {
    for (const entry of heldAgainst(file, expectation, now)) {
      const symptom = symptomOf({ ...file, symptoms: [...file.symptoms, ...found] }, entry, there.get(keyOf(entry)));
      if (symptom !== undefined && ![...file.symptoms, ...found].some(({ id }) => id === symptom.id))
        found.push({ ...symptom, text: `${symptom.text} (${expectation.name})` });
    }
    found.push(...roundTripSymptoms(file, expectation, now));
  }
  return found;
}

/** Entries of nodes that could tell. A topology file may name interfaces otherwise than the node does: then it says nothing of it. */
function heldAgainst({ world }: CaseFile, { source, profile }: Expectation, now: Profile): readonly ProfileEntry[] {
  // Causes before what follows from them: a link before the adjacency over it.
  const told = PROFILE_PARTS.flatMap((part) =>
    profile.entries.filter((entry) => entry.part === part && canTell(now, entry)),
  );
  if (source === 'report') return told;
  const knows = (node: string) =>
    profile.entries
      .flatMap(({ ends = [] }) => ends)
      .some(
        (end) =>
          end.node === node &&
          world.views.get(node)?.state.inventory.interfaces.some(({ name }) => name === end.ifname) === true,
      );
  return told.filter(({ nodes }) => nodes.every(knows));
}

function symptomOf(file: CaseFile, entry: ProfileEntry, now: ProfileEntry | undefined): Symptom | undefined {
  switch (entry.part) {
    case 'link':
    case 'mtu':
    case 'address':
      return linkSymptom(file, entry, now);
    case 'adjacency':
    case 'session':
    case 'prefix':
    case 'route':
      return controlSymptom(file, entry, now);
    case 'sid':
      // Whether a SID is needed is known to the nodes that steer to it (symptoms/missing-sids.ts).
      return undefined;
  }
}

/** What is there and was not expected: told with every verdict, and no part of it. */
export function additionsOf(file: CaseFile): readonly Remark[] {
  const [baseline] = file.expected.filter(({ source }) => source === 'report');
  if (baseline === undefined) return [];
  const known = new Set(baseline.profile.entries.map(keyOf));
  const added = profileOf(file).entries.filter(
    (entry) => NAMED_ADDITIONS.includes(entry.part) && !known.has(keyOf(entry)) && canTell(baseline.profile, entry),
  );
  const nodes = [...file.world.views.keys()].filter((node) => !baseline.profile.nodes.includes(node));
  const lines = [
    ...nodes.map((node) => `${nodeRef(node)} (${nodeResource(node)})`),
    ...added.map(({ part, subject }) => `${part} ${subject}`),
  ];
  const rest = lines.length - ADDITIONS;
  return [...lines.slice(0, ADDITIONS), ...(rest > 0 ? [`${rest} more`] : [])].map((line) => ({
    ...{ kind: 'baseline_addition', why: 'no-harm', evidence: [] },
    text: `not in the ${baseline.name}, and no fault: ${line}`,
  }));
}
