// The template's single sentence (TS-17). Along a path: the loss that was measured and where to look. Of any other scope: what is wrong,
// or what proves that nothing is; between two places also how much is lost on the way (TS-8).
import type { Finding, SegmentLoss, Verdict } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import type { CaseFile } from '../engine/facts.ts';
import { isLoss } from '../engine/loss-symptom.ts';
import { packetLoss } from '../faults/link/packet-loss.ts';
import { type NameNodes, nodeRef } from '../network/node-ref.ts';
import { ownerOf, type World } from '../network/world.ts';

type Words = {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly segments: readonly SegmentLoss[];
  /** No probe was lost but strays. */
  readonly lossless?: boolean;
  /** Along a path some of full size were. */
  readonly largeLost?: boolean;
  /** Findings that operators said are meant. */
  readonly silenced?: number;
  /** Open maintenance windows at places in scope. */
  readonly maintained?: number;
  readonly nameNodes: NameNodes;
};

/** One sentence for people. Says nothing that the verdict, the findings and the measured segments do not say. */
export function sentenceOf({ path, world }: Pick<CaseFile, 'path' | 'world'>, intent: Intent, words: Words): string {
  const sentence = path.length > 0 ? alongPath(path, words) : overScope(world, intent, words);
  const { silenced = 0, maintained = 0 } = words;
  const meant = [
    ...(silenced === 0 ? [] : [`not accused, as meant: ${counted(silenced, 'finding')}`]),
    ...(maintained === 0 ? [] : ['part of it is under maintenance']),
  ];
  return meant.length === 0 ? sentence : `${[sentence.slice(0, -1), ...meant].join('; ')}.`;
}

function alongPath(
  path: readonly string[],
  { verdict, findings, segments, lossless, largeLost, silenced = 0, maintained = 0, nameNodes }: Words,
): string {
  const way = nameNodes(path.map(nodeRef).join(' → '));
  if (verdict.kind === 'inconclusive') return `Inconclusive on ${way}: ${verdict.reasons[0] ?? 'evidence is missing'}.`;
  if (verdict.kind === 'healthy' && silenced + maintained > 0) return `No packet loss on ${way} but what is meant.`;
  if (verdict.kind === 'healthy') {
    return `No packet loss on ${way}: ${arrivedOf(segments)}, and the counters at both ends of every link agree.`;
  }
  const isProbed = segments.length > 0 && segments.every(({ probesSent }) => probesSent > 0);
  const small = largeLost === true ? 'small probe' : 'probe';
  if (lossless === true)
    return `Found on ${way}${isProbed ? `, though no ${small} was lost` : ''}: ${foundIn(findings)}`;
  const lossy = segments.filter((segment) => segment.lossPercent > 0 && isNamed(segment, findings));
  const seen = (lossy.length > 0 ? lossy : worst(segments)).map((segment) => observed(segment, segments, nameNodes));
  const checks = findings.map((finding) => checkOf(finding, nameNodes));
  return `${[...new Set(seen)].join('; ')}; suggest checking ${[...new Set(checks)].join(' and ')}.`;
}

function overScope(world: World, intent: Intent, { verdict, findings, silenced = 0, maintained = 0 }: Words): string {
  const scope = `${counted(world.views.size, 'node')} and ${counted(world.links.length, 'link')}`;
  const way = lossBetween(world, intent);
  if (verdict.kind === 'inconclusive')
    return `${way}Inconclusive, ${scope} checked: ${verdict.reasons[0] ?? 'evidence is missing'}.`;
  if (verdict.kind === 'healthy' && silenced + maintained > 0) return `${way}Nothing else is wrong on ${scope}.`;
  const untested = verdict.reasons.filter((line) => line.startsWith('not tested: ')).length;
  const rest = untested === 0 ? '' : `; ${counted(untested, 'place')} not tested, named in the reasons`;
  if (verdict.kind === 'healthy')
    return `${way}Nothing is wrong on ${scope}: both ends of every link, probes, protocols and routes agree${rest}.`;
  // The place comes first: it is what the operator looks for.
  return `${way}${foundIn(findings).slice(0, -1)} (${scope} checked).`;
}

/** Each probe is counted on its way out, and its answer on the way back. A healthy way that misses more than strays has a reason for it. */
function arrivedOf(segments: readonly SegmentLoss[]): string {
  const sent = segments.reduce((sum, { probesSent }) => sum + probesSent, 0);
  const lost = segments.reduce((sum, { probesLost }) => sum + probesLost, 0);
  const arrived = `${lost === 0 ? `all ${sent}` : `${sent - lost} of ${sent}`} probes and answers arrived`;
  const isExplained = segments.some(({ probesSent, probesLost }) => isLoss(probesSent, probesLost));
  return isExplained ? `${arrived}, the reasons say why the rest is no loss of the path` : arrived;
}

/** What is wrong, and the first remedy; with the full stop. */
function foundIn(findings: readonly Finding[]): string {
  const what = findings.map((finding) => finding.hypothesis).join('; ');
  const [remedy] = findings.flatMap((finding) => finding.remedy ?? []);
  if (remedy === undefined) return `${what}.`;
  const command = remedy.command === undefined ? '' : ` ("${remedy.command}" on ${remedy.node})`;
  return `${what}; suggest: ${remedy.summary}${command}.`;
}

function isNamed(segment: SegmentLoss, findings: readonly Finding[]): boolean {
  const sending = `interface/${segment.from}/${segment.ifname ?? ''}`;
  return findings.some(
    ({ resource, details }) =>
      resource === sending || `interface/${resource.slice('node/'.length)}/${details['interface']}` === sending,
  );
}

function worst(segments: readonly SegmentLoss[]): readonly SegmentLoss[] {
  return [...segments].sort((one, other) => other.lossPercent - one.lossPercent).slice(0, 1);
}

function observed(segment: SegmentLoss, all: readonly SegmentLoss[], nameNodes: NameNodes): string {
  const [from, to] = [nameNodes(nodeRef(segment.from)), nameNodes(nodeRef(segment.to))];
  const back = all.find((entry) => entry.from === segment.to && entry.to === segment.from);
  const reverse = back === undefined ? '' : `; ${to} → ${from} ${back.lossPercent} %`;
  const only = back !== undefined && back.lossPercent * 10 <= segment.lossPercent ? 'only ' : '';
  return `Loss ${segment.lossPercent} % observed ${only}on ${from} → ${to} direction${reverse}`;
}

function checkOf(finding: Finding, nameNodes: NameNodes): string {
  if (finding.fault !== packetLoss.id) return finding.hypothesis;
  const node = nameNodes(nodeRef(finding.resource.split('/')[1] ?? ''));
  const peer = String(finding.details['direction']).split(' → ')[1];
  return `the link of ${node} ${finding.details['interface']} to ${peer} ${finding.details['peerInterface']}`;
}

/** What small probes between the two places of a question about reachability say; empty when none were sent. */
function lossBetween(world: World, { kind, path }: Pick<Intent, 'kind' | 'path'>): string {
  const [from, to] = path;
  if (kind !== 'reachability' || from === undefined || to === undefined) return '';
  const is = (node: string | undefined, place: typeof from) => node !== undefined && nodeKey(node) === place.key;
  const probes = world.reach.filter((probe) => {
    const owner = ownerOf(world, probe.destination)?.node;
    return (is(probe.from, from) && is(owner, to)) || (is(probe.from, to) && is(owner, from));
  });
  const sent = probes.reduce((sum, probe) => sum + probe.sent, 0);
  const received = probes.reduce((sum, probe) => sum + probe.received, 0);
  if (sent === 0) return '';
  const percent = Math.round(((sent - received) / sent) * 1_000) / 10;
  if (received === 0) return `${from.as} and ${to.as} do not reach each other: all ${sent} probes were lost. `;
  return `${from.as} and ${to.as} reach each other, packet loss ${percent} % (${sent} probes). `;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
