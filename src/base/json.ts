// The shape of JSON values.

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Characters that are not seen, or act on what shows them: control, direction and private ones, separators of lines, blanks that are letters. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** JSON text of the same value for a log or a terminal, in which every character is seen: JSON itself escapes only some (RFC 8259 §7). */
export function seenJson(json: string): string {
  return json.replace(UNSEEN, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
