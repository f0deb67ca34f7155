// The template's single sentence for a question that names no path (TS-17): what is wrong, or what proves that nothing is.
import type { Finding, Verdict } from '#model/finding.ts';
import type { World } from './world.ts';

export function scopeSentence(world: World, verdict: Verdict, findings: readonly Finding[]): string {
  const scope = `${counted(world.views.size, 'node')} and ${counted(world.links.length, 'link')}`;
  if (verdict.kind === 'inconclusive')
    return `Inconclusive on ${scope}: ${verdict.reasons[0] ?? 'evidence is missing'}.`;
  if (verdict.kind === 'healthy')
    return `Nothing is wrong on ${scope}: both ends of every link, probes, protocols and routes agree.`;
  const what = findings.map((finding) => finding.hypothesis).join('; ');
  const remedies = findings.flatMap((finding) => finding.remedy?.summary ?? []);
  return remedies.length === 0 ? `Found on ${scope}: ${what}.` : `Found on ${scope}: ${what}; suggest: ${remedies[0]}.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
