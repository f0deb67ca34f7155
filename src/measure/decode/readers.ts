// Readers of single members of an answer: each gives a value of its type or nothing, whatever a peer sent.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Counter64 } from '#model/router/router-port.ts';

const COUNTER = /^\d{1,20}$/;

export function rows<T>(value: JsonValue | undefined, decode: (row: JsonObject) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row) => {
    const decoded = isJsonObject(row) ? decode(row) : undefined;
    return decoded === undefined ? [] : [decoded];
  });
}

export function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

export function counter(value: JsonValue | undefined): Counter64 | undefined {
  return typeof value === 'string' && COUNTER.test(value) ? value : undefined;
}

export function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function oneOf<T extends string>(value: JsonValue | undefined, allowed: readonly T[]): T | undefined {
  return allowed.find((entry) => entry === value);
}
