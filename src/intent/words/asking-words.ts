// Question words, auxiliary verbs and articles, for the rules of word order. A rule that means only some of them lists those itself.

const QUESTIONS = 'how|why|what|which|who|whose|whom|when|where|whether';

/** A word that asks, or a phrase that begins with one: "how", "what is", "which nodes". */
export const QUESTION = new RegExp(`^(?:${QUESTIONS})(?: |$)`);

/** Asks which thing it is, and not how or when. */
export const ASKS_WHICH = /^(?:what|which|who|whom|whose|which (?:nodes?|routers?|links?))$/;

const PRESENTS = 'is|are|am|do|does|can';
const AUXILIARIES = `${PRESENTS}|was|were|did|has|have|had|could|should|shall|must|will|would|might|may|won't`;

/** Before a verb, or before the subject of a question. */
export const AUXILIARY = new RegExp(`^(?:${AUXILIARIES})$`);

/** The same, also where a phrase ends with it: "why is". */
export const ENDS_AUXILIARY = new RegExp(`(?:^| )(?:${AUXILIARIES})$`);

/** Of these, what says how it is now. */
export const PRESENT = new RegExp(`^(?:${PRESENTS})$`);

export const ENDS_PRESENT = new RegExp(`(?:^| )(?:${PRESENTS})$`);

/** Before a thing. */
export const ARTICLE = /^(?:the|a|an|any|some|this|that|another|new|our|my|your|his|her|their)$/;

/** Asks that it be looked at, and says nothing of what is the matter. */
export const LOOKS =
  /^(?:check|checking|checks|verify|test|testing|investigate|inspect|diagnose|diagnosis|troubleshoot|debug|examine|analy[sz]e|audit|measure|probe|look .*|watch|monitor|health check|state|status|condition|(?:what|how) .*)$/;
