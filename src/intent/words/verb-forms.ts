// The forms of an English verb: what is asked with one of them is asked with each. Of a phrase the first word is the verb: "go down", "goes down",
// "going down", "went down", "gone down".

export type VerbForms = {
  /** Now, and -ing. */
  readonly present: readonly string[];
  /** The past and its participle. */
  readonly past: readonly string[];
};

const IRREGULAR: Readonly<Record<string, readonly [past: string, participle: string]>> = {
  ...{ go: ['went', 'gone'], come: ['came', 'come'], fall: ['fell', 'fallen'], lose: ['lost', 'lost'] },
  ...{ break: ['broke', 'broken'], cut: ['cut', 'cut'], take: ['took', 'taken'], bring: ['brought', 'brought'] },
  ...{
    eat: ['ate', 'eaten'],
    give: ['gave', 'given'],
    do: ['did', 'done'],
    have: ['had', 'had'],
    send: ['sent', 'sent'],
  },
  ...{
    get: ['got', 'gotten'],
    make: ['made', 'made'],
    keep: ['kept', 'kept'],
    find: ['found', 'found'],
    see: ['saw', 'seen'],
  },
};

export function verbForms(phrase: string): VerbForms {
  const [verb = '', ...rest] = phrase.split(' ');
  const withRest = (form: string) => [form, ...rest].join(' ');
  const irregular = IRREGULAR[verb];
  const stem = stemOf(verb);
  const past = irregular ?? [verb.endsWith('e') ? `${verb}d` : `${stem.replace(/([^aeiou])y$/, '$1i')}ed`];
  return {
    present: [verb, thirdPerson(verb), `${stem.replace(/(?<=[^aeiou])e$/, '')}ing`].map(withRest),
    past: [...new Set(past)].filter((form) => form !== verb).map(withRest),
  };
}

/** Of several verbs or phrases, parted by commas, all forms, parted by commas. */
export function allForms(phrases: string, time: keyof VerbForms): string {
  return phrases
    .split(', ')
    .flatMap((phrase) => verbForms(phrase)[time])
    .join(', ');
}

/** A doubled letter behind one short vowel: "drop", "flap", "cut". */
function stemOf(verb: string): string {
  return /^[^aeiou]*[aeiou][bdgmnpt]$/.test(verb) ? `${verb}${verb.at(-1)}` : verb;
}

function thirdPerson(verb: string): string {
  if (/(?:[sxz]|[cs]h|o)$/.test(verb)) return `${verb}es`;
  if (verb === 'have') return 'has';
  return /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`;
}
