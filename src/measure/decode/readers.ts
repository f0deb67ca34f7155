// Members of a request that is part of the evidence.
import type { JsonValue } from '#base/json.ts';

export function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}
