// The values behind a finding, from the signed bytes of its evidence: the rows that name the finding's resource, or the first values if
// none does. Bounded in lines and length, with a note of what was left out. Decides nothing.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import type { Finding } from '#model/finding.ts';
import type { Report } from '#model/report.ts';
import { CLI_LIMITS } from '../limits.ts';
import { printable } from '../terminal/output.ts';

export type RawEvidence = Pick<Report, 'items' | 'evidence'>;

/** Lines of `path: name=value …`, for one evidence id. */
export function rawValues(
  report: RawEvidence,
  id: string,
  finding: Finding,
  most: number = CLI_LIMITS.explainedRows,
): readonly string[] {
  const index = report.items.findIndex((item) => item.id === id);
  const item = report.items[index];
  const bytes = report.evidence[index];
  if (item === undefined || bytes === undefined) return ['not in the report'];
  const body = item.answer ?? jsonOf(bytes);
  if (body === undefined)
    return [`${Buffer.byteLength(bytes, 'base64')} octets of ${item.mediaType}, SHA-256 ${item.sha256}`];
  const rows = rowsOf(body, '');
  // All of them, in their own order.
  if (most === Number.POSITIVE_INFINITY) return rows.map(textOf);
  const words = wordsOf(finding, item.node);
  const named = rows.filter((row) => row.words.some((word) => words.has(word)));
  const own = named.filter((row) => row.names.some((word) => words.has(word)));
  const ordered = named.length > 0 ? [...own, ...named.filter((row) => !own.includes(row))] : rows;
  const shown = ordered.slice(0, most);
  const left = rows.length - shown.length;
  return [...shown.map(textOf), ...(left === 0 ? [] : [`… and ${left} more ${left === 1 ? 'row' : 'rows'}`])];
}

/** `names` belong to the object itself: its own row says more than a row that only mentions it. */
type Row = {
  readonly path: string;
  readonly values: readonly string[];
  readonly words: readonly string[];
  readonly names: readonly string[];
};

const NAMING: ReadonlySet<string> = new Set(['name', 'prefix', 'peer', 'subject', 'destination', 'address', 'acl']);

/** Each object as a row of its plain values; nested objects follow as rows of their own. */
function rowsOf(value: JsonValue, path: string): readonly Row[] {
  if (Array.isArray(value)) {
    const plain = value.filter((each) => typeof each !== 'object').map(String);
    const here = plain.length === 0 ? [] : [{ path, values: plain, words: plain.map(keyOf), names: [] }];
    return [
      ...here,
      ...value.flatMap((each, index) =>
        typeof each === 'object' ? rowsOf(each as JsonValue, `${path}[${index}]`) : [],
      ),
    ];
  }
  if (!isJsonObject(value)) return [];
  const entries = Object.entries(value);
  const plain = entries.filter(([, each]) => each !== null && typeof each !== 'object');
  const lists = entries.filter(
    ([, each]) => Array.isArray(each) && each.every((one) => typeof one !== 'object') && each.length > 0,
  );
  const values = [...plain, ...lists].map(
    ([name, each]) => `${name}=${Array.isArray(each) ? each.join(',') : String(each)}`,
  );
  const words = [...plain, ...lists].flatMap(([, each]) =>
    (Array.isArray(each) ? each : [each]).map((one) => keyOf(String(one))),
  );
  const names = plain.flatMap(([name, each]) => (NAMING.has(name) ? keyOf(String(each)) : []));
  const here = values.length === 0 ? [] : [{ path, values, words, names }];
  const deeper = entries.filter(
    ([, each]) => typeof each === 'object' && each !== null && !lists.some(([, list]) => list === each),
  );
  // Counters belong to the row of their object.
  return [
    ...here,
    ...deeper.flatMap(([name, each]) =>
      rowsOf(each as JsonValue, path === '' ? name : `${path}.${name}`).map((row) =>
        isJsonObject(each as JsonValue) && row.path.endsWith(`.${name}`)
          ? { ...row, words: [...row.words, ...words], names: [...row.names, ...names] }
          : row,
      ),
    ),
  ];
}

/** What a row about the finding would contain on this node: interfaces and names of its resource, and the words of its details. */
function wordsOf({ resource, details }: Finding, node: string): ReadonlySet<string> {
  const [form = '', ...rest] = resource.split('/');
  const ends = form === 'link' ? portsOf(rest.join('/').split('--'), node) : rest.slice(1);
  const told = Object.values(details).flatMap((value) => (Array.isArray(value) ? value : [value]));
  const named = told.filter((value) => typeof value === 'string').map(String);
  return new Set([...ends, ...named].map(keyOf).filter((word) => word !== ''));
}

/** For a link, only the end at this node; another node may report either end. */
function portsOf(ends: readonly string[], node: string): readonly string[] {
  const own = ends.filter((end) => end.startsWith(`${node}:`));
  return (own.length > 0 ? own : ends).flatMap((end) => end.split(':').slice(1));
}

function textOf({ path, values }: Row): string {
  const text = `${path === '' ? '' : `${path}: `}${values.join(' ')}`;
  const short = text.length > CLI_LIMITS.explainedRowChars ? `${text.slice(0, CLI_LIMITS.explainedRowChars)}…` : text;
  return printable(short);
}

/** An address with and without its prefix length is the same. */
function keyOf(word: string): string {
  return word.toLowerCase().replace(/\/\d{1,3}$/, '');
}

function jsonOf(base64: string): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as JsonValue;
  } catch {
    return undefined;
  }
}
