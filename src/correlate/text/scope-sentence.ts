// The template's single sentence for a question that names no path (TS-17): what is wrong, or what proves that nothing is; between
// two places also how much is lost on the way (TS-8).
import type { Finding, Verdict } from '#model/finding.ts';
import type { Intent } from '#model/intent.ts';
import { nodeKey } from '#model/names.ts';
import { ownerOf, type World } from '../network/world.ts';

export function scopeSentence(
  world: World,
  intent: Pick<Intent, 'kind' | 'path'>,
  verdict: Verdict,
  findings: readonly Finding[],
): string {
  const scope = `${counted(world.views.size, 'node')} and ${counted(world.links.length, 'link')}`;
  const way = lossBetween(world, intent);
  if (verdict.kind === 'inconclusive')
    return `${way}Inconclusive on ${scope}: ${verdict.reasons[0] ?? 'evidence is missing'}.`;
  if (verdict.kind === 'healthy')
    return `${way}Nothing is wrong on ${scope}: both ends of every link, probes, protocols and routes agree.`;
  const what = findings.map((finding) => finding.hypothesis).join('; ');
  const [remedy] = findings.flatMap((finding) => finding.remedy ?? []);
  if (remedy === undefined) return `${way}Found on ${scope}: ${what}.`;
  const command = remedy.command === undefined ? '' : ` ("${remedy.command}" on ${remedy.node})`;
  return `${way}Found on ${scope}: ${what}; suggest: ${remedy.summary}${command}.`;
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
  return `Packet loss ${percent} % between ${from.as} and ${to.as} (${sent} probes). `;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
