// Whether a sentence of a model may be shown. It may say nothing that the diagnosis does not say: every word is either plain
// vocabulary or a name or number of the diagnosis, every finding is there, and nothing is turned round. Anything else falls
// back to the template (TS-17).
import { LIMITS } from '#base/limits.ts';
import type { Diagnosis, Finding } from '#model/finding.ts';

/** Words without names, numbers, amounts, negations or orders. What is missing here costs prose, never truth. */
const VOCABULARY = wordSet(
  `a about above access according across after along also an and appear appears are as at be been being between
  both by cable check checking connection consider counter counters data degraded
  direction dropped dropping drops during egress end ends evidence facing fault
  faulty filtering finding findings found has have in indicate indicates ingress inspect interface is issue
  it its leading link links list local located location look loses losing loss lossy lost measured
  node observed of on onto or out outgoing over packet packets path percent please point points port possible probable
  probably probe probed probes problem recommend recommended report reported review root router rule
  rules segment sending sent show shown shows side since suffers suggest suggested suggests that the their there
  this through to toward towards traffic transit verified verify via was way were when where which while with`,
);
/** Words that make one thing the reason of another: the rules say which finding explains what, so only a single finding may have them. */
const REASONS = wordSet('because cause caused causes due explain explained explains reason responsible therefore');
/** Words that make the name after them the receiving end. */
const FAR_END = new Set(['to', 'toward', 'towards', 'facing', 'onto', 'leading']);
const PLACE = /\{(F\d{1,3})\}/g;

/** The sentence with its places filled in, or undefined when it must not be shown. */
export function groundedSentence(raw: unknown, diagnosis: Diagnosis): string | undefined {
  if (typeof raw !== 'string' || diagnosis.verdict.kind !== 'fault') return undefined;
  const text = raw.trim();
  if (text === '' || text.length > LIMITS.modelSentenceChars || /[^\x20-\x7e→–—’]/.test(text)) return undefined;
  if (/[.!?]\s+\S/.test(text)) return undefined;
  const places = [...text.matchAll(PLACE)].map((match) => Number(match[1]!.slice(1)) - 1);
  if (places.some((place) => diagnosis.findings[place] === undefined)) return undefined;
  const plain = text.replace(PLACE, ' ');
  const { findings } = diagnosis;
  if (!wordsOf(plain).every((word) => isPlain(word, findings) || namesOf(findings).has(word))) return undefined;
  // Of several findings each stands at its own place, once: words between two of them could join what does not belong together.
  if (findings.length > 1 && !(places.length === findings.length && new Set(places).size === places.length))
    return undefined;
  if (!findings.every((finding, index) => places.includes(index) || names(plain, finding))) return undefined;
  const filled = text.replace(PLACE, (_, id: string) => diagnosis.findings[Number(id.slice(1)) - 1]!.hypothesis);
  return /[.!?]$/.test(filled) ? filled : `${filled}.`;
}

function isPlain(word: string, findings: readonly Finding[]): boolean {
  const lower = word.toLowerCase();
  return VOCABULARY.has(lower) || (findings.length === 1 && REASONS.has(lower));
}

/** Names and numbers of the one finding; several are named by their places only. */
function namesOf(findings: readonly Finding[]): ReadonlySet<string> {
  return new Set(findings.length === 1 ? wordsOf(findings[0]!.hypothesis) : []);
}

/**
 * True when the sentence names the finding's node, and its interface or ACL, in the order of its hypothesis: "PE-1 … P-2" is not
 * "P-2 … PE-1", and "towards PE-1" makes PE-1 the far end.
 */
function names(sentence: string, finding: Finding): boolean {
  const wanted = wordsOf(finding.hypothesis).filter((word) => !isPlain(word, []));
  const have = wordsOf(sentence);
  let position = -1;
  for (const word of wanted.filter((entry) => !/^\d/.test(entry) || finding.fault === 'acl_misconfig')) {
    const next = have.indexOf(word, position + 1);
    if (next < 0 || (position < 0 && FAR_END.has(have[next - 1]?.toLowerCase() ?? ''))) return false;
    position = next;
  }
  return wanted.length > 0;
}

/** Words, names and numbers without surrounding punctuation; `3.1` and `PE-1` stay whole. */
function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s→–—,;:()"'’%]+/)
    .map((word) => word.replace(/^[.!?{}]+|[.!?{}]+$/g, ''))
    .filter((word) => word !== '');
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).filter((word) => word !== ''));
}
