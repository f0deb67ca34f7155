// Words that rules of word order know wherever they look: good manners before a question, people, and what things are called.

/** Before the first word that says something: "please", "and then". */
export const MANNERS =
  /^(?:so|and|then|please|pls|ok|okay|well|now|hi|hey|hello|but|just|kindly|also|oh|um|uh|hmm|anyway|btw|by the way)$/;

const CALLERS =
  'customers?|users?|clients?|callers|people|colleagues?|boss|manager|director|lady|gentleman|guy|girl|someone|somebody|anyone|anybody|tenant|subscriber|student|employee|visitor';

/** Who complains, or is spoken of: no part of a network. */
export const PEOPLE = new RegExp(
  `^(?:${CALLERS}|caller|management|everyone|everybody|tenants|subscribers|students|employees|visitors|staff|vips?|he|she|they)$`,
);

/** Of these, also as a part of a phrase, those whose "it" is the network: "customers complain, is it down". */
export const SAYS_PEOPLE = new RegExp(`(?:^| )(?:${CALLERS})\\b`);

/** What a topic is called, and not what is done. */
export const THING =
  /^(?!(?:los[est]|loses|losing|lost|drop|drops|dropping|discard\w*|eats?|eating|swallow\w*|are|is|being|get|gets|has|have) )(?:.* )?(?:loss|losses|packetloss|drops|delays?|latenc(?:y|ies)|rtt|jitter|throughput|bandwidth|goodput|capacity|congestion|speed|mtu|errors?|crcs?|flaps?|sessions?|adjacenc(?:y|ies)|peerings?|problems?|issues?|troubles?|outages?|faults?|failures?|incident|anomaly|anomalies|counters?|statistics|stats|routes?|path|traffic|changes|history|uptime|reachability|connectivity|connections?|timeouts?|alarms|alerts|quality|time|times|rate|rates|degradation|hiccups?|blips?|glitch|glitches|malfunction|disruptions?|interruptions?|downtime|state|status|health|condition|stability|availability)$/;
