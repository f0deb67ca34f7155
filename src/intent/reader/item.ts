// What a word or a phrase of a question was taken for, and what it says: its text, or its name.
import type { Meaning } from '../words/meaning.ts';

export type Item =
  | { readonly kind: 'meaning'; readonly meaning: Meaning; readonly text: string }
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'ifname'; readonly ifname: string; readonly node?: string }
  | { readonly kind: 'address'; readonly address: string; readonly port?: number; readonly isSecure?: boolean }
  | { readonly kind: 'record'; readonly name: string }
  | { readonly kind: 'time'; readonly when: string; readonly isLength: boolean; readonly text: string }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'arrow' | 'dash' | 'comma' | 'stop' }
  | { readonly kind: 'left'; readonly text: string; readonly why: LeftOver };

/** What a left-over word looks like. Any of them but `aside` and `word` refuses the question; a `number` may be a date or an arrow back. */
export type LeftOver =
  | 'word'
  | 'aside'
  | 'number'
  | 'order'
  | 'as-number'
  | 'address'
  | 'time'
  | 'mac'
  | 'script'
  | 'sign';

export type NameItem = Extract<Item, { readonly kind: 'node' | 'ifname' | 'address' }>;

/** A node, an interface or an address. */
export function isName(item: Item | undefined): item is NameItem {
  return item?.kind === 'node' || item?.kind === 'ifname' || item?.kind === 'address';
}

/** Or a name that is to be looked up. */
export function isPlace(item: Item | undefined): boolean {
  return isName(item) || item?.kind === 'record';
}

/** As two ways of writing it are compared. */
export function nameOf(item: Item): string | undefined {
  if (item.kind === 'record') return item.name.toLowerCase();
  return item.kind === 'node' ? item.name.toLowerCase() : isName(item) ? typedName(item) : undefined;
}

export function typedName(item: NameItem): string {
  return item.kind === 'node' ? item.name : item.kind === 'ifname' ? item.ifname : item.address;
}

/** Ends a part of a sentence. */
export function isSign(item: Item | undefined): boolean {
  return item?.kind === 'stop' || item?.kind === 'comma' || item?.kind === 'dash';
}

/** Of a word that is known. */
export function wordOf(item: Item | undefined): string {
  return item?.kind === 'meaning' ? item.text : '';
}

/** Of a word that is known or left over, in lower case. */
export function textOf(item: Item | undefined): string {
  return item?.kind === 'meaning' || item?.kind === 'left' ? item.text.toLowerCase() : '';
}
