// What a device's rpc-error (RFC 6241 appendix A) means in the codes of MCP-NET [NET-13]: whose fault it is, where, and whether trying
// again may help. Device text goes no further than 200 characters.
import { ParleyError } from '#base/error.ts';
import type { JsonObject } from '#base/json.ts';
import { WIRE_CODES } from '#model/definition.ts';
import { child, type XmlElement } from './xml.ts';

type Meaning = { readonly wire: keyof typeof WIRE_CODES; readonly again: boolean };

const MEANINGS: Readonly<Record<string, Meaning>> = {
  'in-use': { wire: 'configIncompatible', again: true },
  'lock-denied': { wire: 'configIncompatible', again: true },
  'resource-denied': { wire: 'configIncompatible', again: true },
  'access-denied': { wire: 'accessDenied', again: false },
  'rollback-failed': { wire: 'rollbackFailed', again: false },
  'operation-not-supported': { wire: 'configIncompatible', again: false },
  'unknown-element': { wire: 'yangSyntaxError', again: false },
  'unknown-namespace': { wire: 'yangSyntaxError', again: false },
  'unknown-attribute': { wire: 'yangSyntaxError', again: false },
  'bad-attribute': { wire: 'yangSyntaxError', again: false },
  'malformed-message': { wire: 'yangSyntaxError', again: false },
};
/** invalid-value, data-missing, data-exists, operation-failed and the rest. */
const OTHER: Meaning = { wire: 'configIncompatible', again: false };

/** `node/netconf-refused`, with `tag`, `path` and `retryPossible`. */
export function refusalOf(fault: XmlElement): ParleyError {
  const textOf = (name: string) => printable(child(fault, name)?.text ?? '').slice(0, 200);
  const tag = textOf('error-tag');
  const appTag = textOf('error-app-tag');
  const { wire, again } = MEANINGS[tag] ?? OTHER;
  const path = textOf('error-path');
  const data: JsonObject = {
    wireCode: WIRE_CODES[wire],
    tag,
    retryPossible: again,
    ...(path === '' ? {} : { path }),
    ...(appTag === '' ? {} : { appTag }),
  };
  const message = `expected the device to comply, got ${tag}: ${textOf('error-message')}`;
  return new ParleyError('node/netconf-refused', message, { data });
}

/** A device's text may reach a terminal: escape sequences must not. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
}

/** True of the device's refusal with this error-tag. */
export function hasTag(error: unknown, ...tags: readonly string[]): boolean {
  return (
    error instanceof ParleyError && error.code === 'node/netconf-refused' && tags.includes(String(error.data['tag']))
  );
}
