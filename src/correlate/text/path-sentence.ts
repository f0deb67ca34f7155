// Findings in words: the structured hypothesis ("PE-1 egress ACL 2001", TS-18) and the template's single sentence (TS-17).
import { type Finding, overText, type SegmentLoss, type Verdict } from '#model/finding.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import { packetLoss } from '../faults/link/packet-loss.ts';
import { mark, type Spell } from '../network/node-ref.ts';

/** The structured part of one finding as text, with node marks; of what is not so any more it says so, wherever it is shown. */
export function hypothesisOf(proposal: Pick<Proposal, 'fault' | 'resource' | 'details' | 'headline'>): string {
  return `${proposal.headline ?? namedFault(proposal)}${overText(proposal.details)}`;
}

function namedFault(proposal: Pick<Proposal, 'fault' | 'resource'>): string {
  const node = mark(proposal.resource.split('/')[1] ?? '');
  const [form, ...rest] = proposal.resource.split('/');
  const words = proposal.fault.replaceAll('_', ' ');
  if (form === 'link') {
    const ends = rest
      .join('/')
      .split('--')
      .map((end) => end.split(':'));
    return `${ends.map(([name = '', port = '']) => `${mark(name)} ${port}`).join(' – ')} ${words}`;
  }
  return form === 'interface' ? `${node} ${rest.slice(1).join('/')} ${words}` : `${node} ${words}`;
}

export type SentenceInput = {
  readonly path: readonly string[];
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly segments: readonly SegmentLoss[];
  readonly spell: Spell;
};

/** One sentence for people. Says nothing that the verdict, the findings and the measured segments do not say. */
export function sentenceOf(input: SentenceInput): string {
  const { verdict, findings, segments, spell } = input;
  const way = spell(input.path.map(mark).join(' → '));
  if (verdict.kind === 'inconclusive') return `Inconclusive on ${way}: ${verdict.reasons[0] ?? 'evidence is missing'}.`;
  if (verdict.kind === 'healthy') {
    const probes = segments.reduce((sum, segment) => sum + segment.probesSent, 0);
    return `No packet loss on ${way}: ${probes} probe packets in both directions and the counters at both ends of every link agree.`;
  }
  const lossy = segments.filter((segment) => segment.lossPercent > 0 && isNamed(segment, findings));
  const seen = (lossy.length > 0 ? lossy : worst(segments)).map((segment) => observed(segment, segments, spell));
  const checks = findings.map((finding) => checkOf(finding, spell));
  return `${[...new Set(seen)].join('; ')}; suggest checking ${[...new Set(checks)].join(' and ')}.`;
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

function observed(segment: SegmentLoss, all: readonly SegmentLoss[], spell: Spell): string {
  const [from, to] = [spell(mark(segment.from)), spell(mark(segment.to))];
  const back = all.find((entry) => entry.from === segment.to && entry.to === segment.from);
  const reverse = back === undefined ? '' : `; ${to} → ${from} ${back.lossPercent} %`;
  const only = back !== undefined && back.lossPercent * 10 <= segment.lossPercent ? 'only ' : '';
  return `Loss ${segment.lossPercent} % observed ${only}on ${from} → ${to} direction${reverse}`;
}

function checkOf(finding: Finding, spell: Spell): string {
  if (finding.fault !== packetLoss.id) return finding.hypothesis;
  const node = spell(mark(finding.resource.split('/')[1] ?? ''));
  const peer = String(finding.details['direction']).split(' → ')[1];
  return `the link of ${node} ${finding.details['interface']} to ${peer} ${finding.details['peerInterface']}`;
}
