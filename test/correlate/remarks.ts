// The sentences of a diagnosis' remarks.
import type { Diagnosis } from '#model/finding.ts';

export function remarksTold({ remarks = [] }: Pick<Diagnosis, 'remarks'>): readonly string[] {
  return remarks.map(({ text }) => text);
}
