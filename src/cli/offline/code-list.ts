// For whom `parley registrar code` makes codes: one node, numbered nodes of a rack, the lines of a file, or one operator.
import { readFile } from 'node:fs/promises';
import type { Role } from '#model/identity.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import type { CodeFor } from '#mtls/enrol/make-codes.ts';
import { usage } from '../terminal/usage.ts';

export type CodeListOptions = {
  readonly node?: string;
  readonly operator?: string;
  readonly role?: Role;
  readonly serial?: string;
  readonly count?: string;
  readonly list?: string;
  readonly dns?: readonly string[];
  readonly address?: readonly string[];
};

export async function listedCodes(options: CodeListOptions): Promise<readonly CodeFor[]> {
  const { node, operator, list, count } = options;
  const given = [node, operator, list].filter((each) => each !== undefined);
  if (given.length !== 1) throw usage('one of --node, --operator and --list', given.length === 0 ? 'none' : 'more');
  const names = { dnsNames: options.dns ?? [], addresses: options.address ?? [] };
  const isMany = list !== undefined || count !== undefined;
  if (isMany && (names.dnsNames.length > 0 || names.addresses.length > 0 || options.serial !== undefined))
    throw usage('--dns, --address and --serial with one node alone', 'a list');
  if (operator !== undefined)
    return [
      { kind: 'operator', name: operator, ...names, ...(options.role === undefined ? {} : { role: options.role }) },
    ];
  if (options.role !== undefined) throw usage('--role with --operator alone', 'a node');
  if (list !== undefined) return linesOf(await readFile(list, 'utf8'));
  if (count !== undefined) return numbered(node!, count);
  const serial = options.serial === undefined ? {} : { serial: serialOf(options.serial) };
  return [{ kind: 'node', name: node!, ...names, ...serial }];
}

/** `leaf-##` and 48: leaf-01 to leaf-48. */
function numbered(pattern: string, count: string): readonly CodeFor[] {
  const total = Number(count);
  if (!Number.isInteger(total) || total < 1 || total > ENROL_LIMITS.codesAtOnce)
    throw usage(`--count from 1 to ${ENROL_LIMITS.codesAtOnce}`, count);
  const [, before = '', marks = '', after = ''] = /^([^#]*)(#+)([^#]*)$/.exec(pattern) ?? [];
  if (marks === '') throw usage('# for the digits of the number in --node, such as leaf-##', pattern);
  return Array.from({ length: total }, (_, index) => ({
    kind: 'node',
    name: `${before}${String(index + 1).padStart(marks.length, '0')}${after}`,
  }));
}

/** `NAME` or `NAME,SERIAL` a line; empty lines and those that begin with # are left out. */
function linesOf(text: string): readonly CodeFor[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw usage('a line NAME or NAME,SERIAL for each node in --list', 'none');
  return lines.map((line) => {
    const [name = '', serial = '', ...rest] = line.split(',').map((part) => part.trim());
    if (rest.length > 0) throw usage('a line NAME or NAME,SERIAL', line);
    return { kind: 'node', name, ...(serial === '' ? {} : { serial: serialOf(serial) }) };
  });
}

/** As it stands on the device. */
export function serialOf(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && text.length <= ENROL_LIMITS.serialChars) return text;
  throw usage(`a serial number of at most ${ENROL_LIMITS.serialChars} visible characters`, text.slice(0, 80));
}
