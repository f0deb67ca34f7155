// What a node tells of its log: kinds of a closed list with counts. Total; what is not of the list is left out.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { LOG_SIGN_KINDS, type LogSign } from '#model/router/log-events.ts';
import { count, oneOf, rows, text } from './readers.ts';

export function decodeLogSigns(body: JsonValue | undefined): readonly LogSign[] {
  if (body === undefined || !isJsonObject(body)) return [];
  return rows(body['logSigns'], (row) => {
    const [kind, about] = [oneOf(row['kind'], LOG_SIGN_KINDS), text(row['about'])];
    const [seen, lastAgoMs] = [count(row['count']), count(row['lastAgoMs'])];
    return kind === undefined || about === undefined || seen === undefined || lastAgoMs === undefined
      ? undefined
      : { kind, about, count: seen, lastAgoMs };
  }).slice(0, LIMITS.logSigns);
}
