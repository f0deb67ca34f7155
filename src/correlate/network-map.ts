// The network as its nodes report it, before anything is measured: which nodes answered, every link with the evidence for it, and what is
// expected and missing. Accuses no node: a question finds what is wrong. Pure.
import type { Expectation } from '#model/baseline.ts';
import type { Outcome } from '#model/call.ts';
import type { Evidence } from '#model/evidence.ts';
import type { Intent } from '#model/intent.ts';
import type { LinkConfidence } from '#model/links/link-indicators.ts';
import type { MapLink, NetworkMap } from '#model/links/network-map.ts';
import type { LinkEnd } from '#model/names.ts';
import { caseFileOf } from './case-file.ts';
import { linkRows, oddLinks } from './network/link-rows.ts';
import { nodeNamer } from './network/node-ref.ts';
import { interfaceOf, type World } from './network/world.ts';
import { expectedSymptom } from './symptoms/expectations.ts';
import { linkDownSymptom } from './symptoms/links/link-down.ts';

export function networkMap(
  intent: Intent,
  nodes: readonly string[],
  evidence: readonly Evidence[],
  outcomes: readonly Outcome[],
  expected: readonly Expectation[],
): NetworkMap {
  const nameNodes = nodeNamer(intent, nodes);
  const { world, symptoms } = caseFileOf(intent, nodes, evidence, outcomes, expected);
  const links = linkRows(world).map((row): MapLink => ({ ...row, state: stateOf(world, row.from, row.to) }));
  const believed = (confidence: LinkConfidence) => links.filter((link) => link.confidence === confidence).length;
  return {
    nodes: [...nodes].sort().map((node) => ({ node, seen: world.views.has(node) })),
    links,
    confidence: { confirmed: believed('confirmed'), likely: believed('likely'), claimed: believed('claimed') },
    missing: symptoms
      .filter((each) => linkDownSymptom.is(each) || (expectedSymptom.is(each) && each.detail.part === 'link'))
      .map(({ text }) => nameNodes(text)),
    remarks: oddLinks(world).map(({ text }) => nameNodes(text)),
  };
}

function stateOf(world: World, ...ends: readonly LinkEnd[]): MapLink['state'] {
  const known = ends.flatMap((end) => interfaceOf(world, end)?.operUp ?? []);
  if (known.length === 0) return 'unknown';
  return known.every((up) => up) ? 'up' : 'down';
}
