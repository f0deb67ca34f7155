// Names of MCP-AX (AX-3): segments with dots between them inside the hierarchy, and one form for MCP hosts, which refuse dots and more
// than 64 characters. Both forms depend on the name alone, so that no name changes when another server comes. Pure.
import { bad, ok, type Result } from '#base/result.ts';
import { sha256Hex } from '#sign/digest.ts';
import { AGGREGATE_LIMITS } from '../limits.ts';

const SEGMENT = /^[a-z0-9_-]{1,63}$/;
const PRINTABLE_ASCII = /^[!-~]+$/;

/** MCP-AX §4.1. */
export function isSegment(text: string): boolean {
  return SEGMENT.test(text);
}

/** The segments of a dotted name; an error when one of them is none, or when the whole is too long. */
export function parseName(text: string): Result<readonly string[]> {
  if (text.length > AGGREGATE_LIMITS.nameChars)
    return bad(`expected a name of at most ${AGGREGATE_LIMITS.nameChars} characters, got ${text.length}`);
  const segments = text.split('.');
  const odd = segments.find((segment) => !isSegment(segment));
  return odd === undefined ? ok(segments) : bad('expected segments of a-z, 0-9, "_" and "-" with dots between them');
}

export type LocalNames = {
  /** Local name → the leaf's own name. */
  readonly named: ReadonlyMap<string, string>;
  /** What the leaf offers and cannot be named, each with the reason: reported, never dropped silently. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
};

/**
 * One segment for each name of a leaf. A name that is a segment stays; in others every character that does not fit becomes "_". Names
 * that would then be the same get the beginning of their digest, all of them: the result does not depend on the order.
 */
export function localNames(originals: readonly string[]): LocalNames {
  const named = new Map<string, string>();
  const refused: { name: string; reason: string }[] = [];
  const wanted = new Map<string, string[]>();
  for (const name of new Set(originals)) {
    const reason = refusalOf(name);
    if (reason !== undefined) refused.push({ name: name.slice(0, 64), reason });
    else if (isSegment(name)) named.set(name, name);
    else {
      const form = name
        .toLowerCase()
        .replace(/[^a-z0-9_-]/g, '_')
        .slice(0, SEGMENT_CHARS);
      wanted.set(form, [...(wanted.get(form) ?? []), name]);
    }
  }
  for (const [form, names] of wanted) {
    const isFree = names.length === 1 && !named.has(form) && names[0]!.length <= SEGMENT_CHARS;
    for (const name of names) {
      const local = isFree ? form : `${form.slice(0, SEGMENT_CHARS - DIGEST_CHARS - 1)}-${digestOf(name)}`;
      if (named.has(local))
        refused.push({ name: name.slice(0, 64), reason: `expected a name of its own, got ${local} twice` });
      else named.set(local, name);
    }
  }
  return { named, refused };
}

const SEGMENT_CHARS = 63;
const DIGEST_CHARS = 12;

function refusalOf(name: string): string | undefined {
  if (name === '') return 'expected a name, got an empty one';
  if (name.length > AGGREGATE_LIMITS.leafNameChars)
    return `expected a name of at most ${AGGREGATE_LIMITS.leafNameChars} characters, got ${name.length}`;
  // A letter of another script can look like one of these, and would pass for another tool in a person's eyes.
  return PRINTABLE_ASCII.test(name) ? undefined : 'expected a name in printable ASCII, got other characters';
}

/**
 * The form for MCP hosts: `[a-zA-Z0-9_-]`, at most 64 characters. Dots become "__". Where that could be the form of another name too, or is
 * too long, the beginning of the name's SHA-256 stands at the end.
 */
export function hostNameOf(name: string): string {
  const form = name.replaceAll('.', '__');
  const isPlain = !/__|_\.|\._/.test(name) && !/^_|_$/.test(name) && !ENDS_AS_DIGEST.test(name);
  if (isPlain && form.length <= AGGREGATE_LIMITS.hostNameChars) return form;
  const head = form.slice(0, AGGREGATE_LIMITS.hostNameChars - DIGEST_CHARS - 1).replace(/[^A-Za-z0-9_-]/g, '_');
  return `${head}-${digestOf(name)}`;
}

const ENDS_AS_DIGEST = /-[0-9a-f]{12}$/;

function digestOf(text: string): string {
  return sha256Hex(text).slice(0, DIGEST_CHARS);
}
