// What follows where routing daemons of a node do not do their work: their own silence, what neighbours lose with them, and routes that come and go.
import type { CaseFile } from '../../engine/facts.ts';
import type { Share } from '../../engine/fault-definition.ts';
import { shareOf } from '../../engine/proposal.ts';
import { daemonSymptom } from '../../symptoms/dead-daemons.ts';
import { restartedSymptom } from '../../symptoms/recovered.ts';
import { routeSymptom } from '../../symptoms/routes.ts';
import { reachSymptom } from '../../symptoms/unanswered-echoes.ts';
import { lostProtocols } from './daemon-outage.ts';

export function lostWithDaemons(file: CaseFile, node: string, daemons: readonly string[]): readonly Share[] {
  const isMine = (dead: readonly string[]) => dead.every((name) => daemons.includes(name));
  const own = [...daemonSymptom.of(file), ...restartedSymptom.of(file)].filter(
    ({ nodes, detail }) => nodes.includes(node) && isMine(detail.dead),
  );
  const routes = routeSymptom
    .of(file)
    .filter(({ detail: { how, owner, at } }) => how === 'none' && (owner === node || at === node));
  const reach = reachSymptom.of(file).filter(({ way }) => way?.nodes.includes(node) === true);
  const all = [...own, ...lostProtocols(file, node, daemons), ...routes, ...reach];
  return [...new Map(all.map((symptom) => [symptom.id, symptom])).values()].map(shareOf);
}
