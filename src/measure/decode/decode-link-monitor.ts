// What a node remembers of its standing probes. Total: what is malformed is left out as if the node had not sent it.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import type { History } from '#model/router/control-plane.ts';
import { type LinkRise, type LinkWatch, WATCHED_KINDS, type WatchRound } from '#model/router/link-monitor.ts';
import { count, oneOf, rows, text, texts } from './readers.ts';

const ROUND_NUMBERS = 9;
const DAMAGE_NUMBERS = 2;
/** Of one end of a link: IPv6 and IPv4. */
const FAR_ADDRESSES = 2;

export function decodeWatch(history: JsonObject): Pick<History, 'watch' | 'damage' | 'watched' | 'rises'> {
  const { watch, damage, watched, rises } = history;
  return {
    ...(Array.isArray(watch) ? { watch: rows(watch, linkOf).slice(0, LIMITS.watchLinks) } : {}),
    ...(Array.isArray(rises) ? { rises: rows(rises, riseOf).slice(0, LIMITS.watchLinks) } : {}),
    ...(Array.isArray(damage) ? { damage: numbersOf(damage, DAMAGE_NUMBERS) as NonNullable<History['damage']> } : {}),
    ...(Array.isArray(watched)
      ? {
          watched: rows(watched, (row) => {
            const [what, forMs] = [oneOf(row['what'], WATCHED_KINDS), count(row['forMs'])];
            return what === undefined || forMs === undefined ? undefined : { what, forMs };
          }),
        }
      : {}),
  };
}

function linkOf(row: JsonObject): LinkWatch | undefined {
  const ifname = text(row['ifname']);
  if (ifname === undefined) return undefined;
  const rounds = numbersOf(row['rounds'], ROUND_NUMBERS) as unknown as readonly WatchRound[];
  // Nobody can have received more than was sent.
  const sound = rounds.filter(([, sent6, , received6, sent4, , received4]) => received6 <= sent6 && received4 <= sent4);
  return { ifname, far: texts(row['far']).slice(0, FAR_ADDRESSES), rounds: sound };
}

function riseOf(row: JsonObject): LinkRise | undefined {
  const [ifname, agoMs, quickUs] = [text(row['ifname']), count(row['agoMs']), count(row['quickUs'])];
  const [slowUs, slowRounds] = [count(row['slowUs']), count(row['slowRounds'])];
  if (ifname === undefined || agoMs === undefined || quickUs === undefined) return undefined;
  // A rise that is none was not measured.
  if (slowUs === undefined || slowRounds === undefined || slowUs <= quickUs) return undefined;
  const ways = waysOf(row['ways']);
  const far = texts(row['far']).slice(0, FAR_ADDRESSES);
  return { ifname, far, agoMs, quickUs, slowUs, slowRounds, ...(ways === undefined ? {} : { ways }) };
}

function waysOf(value: JsonValue | undefined): LinkRise['ways'] {
  if (!isJsonObject(value)) return undefined;
  const [outUs, backUs, spanMs] = [value['outUs'], value['backUs'], count(value['spanMs'])];
  if (!isWhole(outUs) || !isWhole(backUs) || spanMs === undefined) return undefined;
  return { outUs, backUs, spanMs };
}

/** A clock that drifts back makes a way shorter than it was. */
function isWhole(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

/** Rows of exactly `width` numbers. */
function numbersOf(value: JsonValue | undefined, width: number): readonly (readonly number[])[] {
  if (!Array.isArray(value)) return [];
  return value.slice(-LIMITS.watchRounds).flatMap((row) => {
    const numbers = Array.isArray(row) ? row.map((each) => count(each)) : [];
    return numbers.length === width && !numbers.includes(undefined) ? [numbers as number[]] : [];
  });
}
