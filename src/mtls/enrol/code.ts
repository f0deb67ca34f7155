// Enrolment codes as people read, say and type them: three groups of five symbols, `K7QM3-XPA9R-TD4WS`. The first group names
// the code and is no secret; nine symbols (45 random bits) are what is proven; the last one finds slips before an attempt is lost.
import type { Random } from '#base/random.ts';
import { bad, ok, type Result } from '#base/result.ts';

/** Crockford's base 32: no I, L, O or U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_CHARS = 5;
const SECRET_CHARS = 9;
const GROUP_CHARS = 5;
/**
 * x^5 + x^2 + 1: makes symbols a field of 32 elements, in which 2 has the powers of all others but 0. So each symbol has a weight of its own, and
 * every wrong symbol and every swap of two changes the sum. Sums of whole numbers by 31 take 0 and Z for one.
 */
const FIELD_POLYNOMIAL = 0b100101;

export const CODE_ID = /^[0-9A-HJKMNP-TV-Z]{5}$/;

export type EnrolmentCode = {
  /** Names the code to the registrar, in lists and in the audit trail. */
  readonly id: string;
  /** What both sides prove; only the enrolling node and the paper with the code hold it. */
  readonly secret: string;
};

/** `id` free to choose until it is one that no other code of the registrar has. */
export function makeCode(random: Random): EnrolmentCode {
  const symbols = [...random.bytes(ID_CHARS + SECRET_CHARS)].map((octet) => ALPHABET[octet % ALPHABET.length]).join('');
  return { id: symbols.slice(0, ID_CHARS), secret: symbols.slice(ID_CHARS) };
}

/** In groups of five, with the check symbol. */
export function formatCode({ id, secret }: EnrolmentCode): string {
  const symbols = `${id}${secret}`;
  const whole = `${symbols}${checkOf(symbols)}`;
  return whole.match(new RegExp(`.{${GROUP_CHARS}}`, 'g'))!.join('-');
}

/** Case, blanks and hyphens do not matter; O is read as 0, I and L as 1. The reason names no part of the code. */
export function parseCode(text: string): Result<EnrolmentCode> {
  const symbols = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const count = ID_CHARS + SECRET_CHARS + 1;
  if (symbols.length !== count)
    return bad(`expected a code of ${count} symbols such as K7QM3-XPA9R-TD4WS, got ${symbols.length}`);
  if ([...symbols].some((symbol) => !ALPHABET.includes(symbol)))
    return bad('expected a code of digits and letters without U, got another symbol in it');
  const body = symbols.slice(0, -1);
  if (symbols.at(-1) !== checkOf(body))
    return bad('expected a code whose last symbol fits the others: check the spelling');
  return ok({ id: body.slice(0, ID_CHARS), secret: body.slice(ID_CHARS) });
}

/** For a file that leaves this machine: 100 random bits in four groups. */
export function makePassword(random: Random): string {
  const symbols = [...random.bytes(4 * GROUP_CHARS)].map((octet) => ALPHABET[octet % ALPHABET.length]).join('');
  return symbols.match(new RegExp(`.{${GROUP_CHARS}}`, 'g'))!.join('-');
}

function checkOf(symbols: string): string {
  // The first symbol has the highest power of 2 as its weight, the check symbol itself has 1.
  const sum = [...symbols].reduce((total, symbol) => doubled(total ^ ALPHABET.indexOf(symbol)), 0);
  return ALPHABET[sum]!;
}

function doubled(element: number): number {
  const wide = element << 1;
  return wide < ALPHABET.length ? wide : wide ^ FIELD_POLYNOMIAL;
}
