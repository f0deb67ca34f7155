// What makes something odd a fault (docs/design.md §7): a contradiction between two ends, a change that memory shows
// (network/remembered.ts), an expectation that it breaks, or harm to traffic. Without any of them it is a remark: being unlike others
// accuses no node.
import type { CaseFile } from '../engine/facts.ts';
import type { Share } from '../engine/fault-definition.ts';
import { routeSymptom } from './routes.ts';
import { serviceSymptom } from './service.ts';
import { reachSymptom } from './unanswered-echoes.ts';

/**
 * Something that packets want is not to be had: an address, or a service. What probes of one link alone lost is no harm where other links carry
 * traffic.
 */
export function doesHarm(file: CaseFile, explains: readonly Share[]): boolean {
  const ids = new Set(explains.map(({ symptom }) => symptom));
  return [...reachSymptom.of(file), ...routeSymptom.of(file), ...serviceSymptom.of(file)].some(({ id }) => ids.has(id));
}
