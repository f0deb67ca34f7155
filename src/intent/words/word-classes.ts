// What words that say nothing of their own are, as parts of a sentence: such a word passes only in the places of its class (`reader/grammar/`).
// A word may be of several classes: "report" is a record and a verb of saying.

export type WordClass =
  /** Says when, how much or how sure: may stand anywhere. */
  | 'adverb'
  | 'determiner'
  | 'pronoun'
  | 'question'
  | 'auxiliary'
  /** "But", "that", "if". */
  | 'conjunction'
  | 'adjective'
  /** Only before what it says something of: "a known outage", and not "is the outage known". */
  | 'attribute'
  /** Whom a sentence is said to: at the edge of a part of it. */
  | 'address'
  | 'person'
  /** People who ask, or for whom: they have nothing that a network has. */
  | 'speaker'
  /** What a network carries. */
  | 'packet'
  /** Papers and screens: tickets, alarms, what they are headed with. */
  | 'record'
  /** How much, which side, what kind: of what is named beside it. */
  | 'measure'
  /** "Reason", "idea", "chance": leads on to what is asked. */
  | 'lead'
  | 'saying'
  /** Leads on to what happens, or to what is had: "suffers from", "sees". */
  | 'having'
  /** Says how a thing goes on, with what follows: "keeps", "goes", "stays". */
  | 'going'
  /** Does something to what follows: "makes", "needs". */
  | 'doing'
  /** A phrase that only opens or closes a question: "I would like to know". */
  | 'opener';

const WORDS: Readonly<Record<Exclude<WordClass, 'opener'>, string>> = {
  adverb:
    "so then there here's because as though yet please pls kindly hey hi hello thanks thx okay hmm um uh oh well sorry urgent urgently asap fyi regards cheers wtf ffs omg damn argh maybe perhaps probably apparently actually really basically just simply still already again also too very quite rather pretty totally completely suddenly currently now presently momentarily anymore somehow indeed btw anyway sometimes intermittently constantly continuously sporadically regularly massively overall end-to-end both sincerely rgds abnormally unusually extremely incredibly terribly badly insanely exceptionally particularly especially fully generally obviously clearly definitely presumably supposedly reportedly allegedly unfortunately sadly luckily hopefully greetings hiya yo exactly together randomly quickly even always often rx/tx tx/rx in/out quick curious lots",
  determiner: 'a an the this that these those its their our my your some any his her own what which one whose',
  pronoun:
    "it itself i we you they he she them him one this that these those some any anyone anybody someone somebody who whom everyone's",
  question: 'what which where why how whether who whom whose',
  auxiliary:
    'is are am be been being do does done can could should might may must will shall has have having get gets got getting gotten',
  conjunction: 'but that whether',
  adjective:
    'little much occasional constant continuous sporadic full general exact possible random strange true beautiful lovely nice heavy high intermittent low many massive several severe few lot affected impacted quick urgent overall made called named',
  attribute: 'known full whole entire certain particular specific current present actual next own',
  address: 'dear team folks guys mate buddy man sir madam gents help',
  person: 'people caller callers client clients colleagues customer customers user users',
  speaker: 'boss team noc guys folks man lady',
  packet: 'packet packets frame frames datagram datagrams data bytes traffic flow flows stream streams ip stuff',
  record:
    'ticket inc incident subject body escalation rfo note description title severity category investigation request question report reports complaint complaints details detail overview summary info information impact priority noc picture situation',
  measure:
    'amount rate level count value values figure figures number numbers direction side part order type end ends member members details detail overview summary info information picture situation report reports request investigation impact',
  lead: 'alarm alert situation note idea clue chance reason cause case matter deal thing way root-cause symptom symptoms complaint complaints report reports question',
  saying:
    'tell know wonder worry worried concerned think believe report reports reported reporting claim claims notice noticed notices observe observed observing explain wondering wondered determine confirm appreciate suspect suspected afraid say says said told advise paged help question',
  having:
    'experience experiencing experienced suffer suffers suffering seeing seen shows occurs occur occurred exist exists observe observed observing notice noticed notices facing feel feels feeling affected affecting impact impacted concern concerns cause caused causes causing',
  going:
    'keep keeps going go goes runs run running ran come comes coming stay stays seems seem look looks appears appear become became becomes remain remains stand stands sit sits sitting begin began start starts starting started try tries trying tried follow following cross crosses traverse traverses',
  doing: 'need needs want wants make makes making take takes taking use uses using',
};

const PHRASES: Readonly<Partial<Record<WordClass, readonly string[]>>> = {
  adverb: [
    'each other',
    'one another',
    'in order',
    'both directions',
    'both ways',
    'input and output',
    'rx and tx',
    'tx and rx',
  ],
  auxiliary: ['need to', 'needs to', 'trying to', 'keep on'],
  measure: ['amount of', 'number of'],
  lead: ['reason for', 'the reason'],
  packet: ['customer traffic', 'ip traffic', 'user traffic'],
  having: ['send traffic', 'send packets', 'sends traffic', 'caused by'],
};

const CLASSES: ReadonlyMap<string, ReadonlySet<WordClass>> = classesOf();

/** Of a word or a phrase that says nothing of its own; a phrase only opens or closes a question. */
export function classesOfWord(text: string): ReadonlySet<WordClass> {
  return CLASSES.get(text) ?? OPENER;
}

const OPENER: ReadonlySet<WordClass> = new Set(['opener']);

function classesOf(): ReadonlyMap<string, ReadonlySet<WordClass>> {
  const found = new Map<string, Set<WordClass>>();
  const rows = [
    ...Object.entries(WORDS).map(([name, words]) => [name, words.split(' ')] as const),
    ...Object.entries(PHRASES),
  ];
  for (const [name, words] of rows)
    for (const word of words) found.set(word, (found.get(word) ?? new Set()).add(name as WordClass));
  return found;
}
