// What may be told of the evidence to a language model: ids, enumerations and numbers, each out of a closed list. Text of
// devices has no place in here (TS-17); code that makes or reads a clue drops what is on no list.
import type { ResourceId } from './names.ts';

/** One thing that is not as it should be, without any words. */
export type Clue = {
  readonly kind: ClueKind;
  /** Where it was seen: the link first if it lies on one, then ends and nodes. */
  readonly at: readonly ResourceId[];
  readonly values: ClueValues;
};

export const CLUE_KINDS = [
  'down',
  'flap',
  'mtu',
  'slow',
  'narrow',
  'rewrite',
  'queue',
  'corrupt',
  'class',
  'length',
  'isis',
  'ospf',
  'bgp',
  'bfd',
  'daemon',
  'silent',
  'route',
  'reach',
  'entry',
  'duplicate',
  'srv6',
  'metric',
  'service',
  'filter',
  'host',
  'dhcp',
  'names',
  'past',
  'restarted',
  'expected',
  'contradiction',
  'silent-link',
  'recurring-loss',
  'filter-drops',
  'no-answer',
] as const;
export type ClueKind = (typeof CLUE_KINDS)[number];

const CLUE_MEASURES = [
  'changes',
  'from',
  'to',
  'others',
  'large',
  'metric',
  'roundTripMs',
  'othersMs',
  'unresolved',
  'fixed',
  'sent',
  'packets',
  'drops',
  'megabits',
  'how',
] as const;
export type ClueMeasure = (typeof CLUE_MEASURES)[number];

export const CLUE_WORDS = [
  'up',
  'down',
  'none',
  'initializing',
  'shut',
  'no-carrier',
  'gone',
  'Full',
  '2-Way',
  'Init',
  'ExStart',
  'Exchange',
  'Down',
  'blackhole',
  'unreachable',
  'loop',
] as const;
export type ClueWord = (typeof CLUE_WORDS)[number];

export type ClueValue = number | boolean | ClueWord;
export type ClueValues = Readonly<Partial<Record<ClueMeasure, ClueValue>>>;

/** Numbers, truths and words of the closed list; everything else may be text of a device. */
export function clueValuesOf(detail: Readonly<Record<string, unknown>>): ClueValues {
  const shown = CLUE_MEASURES.flatMap((name): [ClueMeasure, ClueValue][] => {
    const value = detail[name];
    const known = typeof value === 'number' || typeof value === 'boolean' ? value : wordOf(value);
    return known === undefined ? [] : [[name, known]];
  });
  return Object.fromEntries(shown);
}

function wordOf(value: unknown): ClueWord | undefined {
  return CLUE_WORDS.find((each) => each === value);
}

/** The form of resource that a fault takes: what a model may combine. */
export type FaultForm = { readonly fault: string; readonly form: 'node' | 'interface' | 'link' };
