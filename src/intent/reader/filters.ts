// Words that narrow what is asked to a class of traffic or to a state, by which no answer tells anything apart: the answer names them.
import type { Topic } from '#model/intent.ts';
import { isData } from './data-topics.ts';
import type { Item } from './item.ts';

/** "UDP loss", "loss for VoIP", "input errors", "which interfaces are down". */
export function filtersIn(items: readonly Item[], topic: Topic, isWeak: boolean, hasWay: boolean): readonly string[] {
  return items.flatMap((item, index) => {
    if (item.kind !== 'meaning') return [];
    const { meaning, text } = item;
    const next = items[index + 1];
    const isPort = next?.kind === 'number' || (next?.kind === 'meaning' && next.meaning.kind === 'noun');
    // "The uplinks of leaf1", "eBGP": one kind of what the answer is about.
    if ((meaning.kind === 'noun' && !hasWay && KIND.test(text)) || (meaning.kind === 'protocol' && KIND.test(text)))
      return [text];
    const isUnheard = (topic === 'session' && PREFIXES.test(text)) || (topic === 'uptime' && text === 'who');
    if (isUnheard) return [text];
    const isTransport = meaning.kind === 'port' && !isPort;
    if (meaning.kind !== 'topic') return isTransport ? [text] : [];
    // "Voice calls are choppy" asks for the delay; "loss for voice calls" asks for the loss of all that is sent.
    const isClass = meaning.weak === true && CLASS.test(text) && !(isWeak && topic === meaning.topic);
    const isState = isTable(topic) && meaning.past !== true && STATE.test(text);
    const way = meaning.topic === 'errors' || meaning.topic === 'loss' ? WAY.exec(text)?.[0] : undefined;
    return isClass || isState ? [text] : way === undefined ? [] : [way];
  });
}

const KIND = /^(?:uplinks?|core links?|trunk|e-?bgp|i-?bgp|ospfv3|ospf6|ospf3)$/;
/** What a session carries, and who restarted a node: the answer is about the session, and about when. */
const PREFIXES = /^(?:prefix|prefixes|routes?)$/;
const CLASS = /^(?:video|voice|voip|calls|streaming|meetings|web pages)\b/;
/** "Input errors": an answer tells of both ways. */
const WAY = /^(?:input|output|rx|tx)(?= )/;
const STATE =
  /^(?:down|up|offline|online|ok|okay|good|bad|healthy|unhealthy|broken|faulty|fail\w*|missing|stuck|dead|degraded|alive|working|not working|stable|quiet|silent|gone|away|established|idle|active|init)$/;

/** A table of things of which each has a state. */
function isTable(topic: Topic): boolean {
  return isData(topic) && !['uptime', 'history', 'path', 'where'].includes(topic);
}
