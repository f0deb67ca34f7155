// What a word or a phrase of a question was taken for.
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
