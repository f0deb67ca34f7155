// Changes of single lines of `expectations.yaml`, as text: the operators' own comments and the order of their lines stay.
import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { isoTime } from '#base/clock.ts';
import { bad, ok, type Result } from '#base/result.ts';
import type { AllowLine } from '#model/router/expectations.ts';
import { endOf } from './expectations.ts';

const SPAN = /^(\d{1,5})([mhd])$/;
const SPAN_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** One entry as the file writes it, and the keys by which it is the same entry as another. */
export type Row = {
  readonly section: 'expect' | 'allow' | 'maintenance';
  readonly entry: Readonly<Record<string, string | readonly string[]>>;
};
const SAME_BY = {
  expect: ['link', 'session', 'route', 'service', 'at'],
  allow: ['fault', 'resource'],
  maintenance: ['nodes', 'links', 'from', 'until'],
} as const;

/** The text with one more `allow` entry; one of the same fault and resource is replaced. */
export function withAllow(text: string, { fault, resource, reason, owner, until: end }: AllowForm): string {
  return withRows(text, [{ section: 'allow', entry: { fault, resource, reason, owner, until: end } }]);
}

/** The text with these entries too. One that says the same of the same is replaced, so that adding them again changes nothing. */
export function withRows(text: string, rows: readonly Row[]): string {
  const document = openText(text);
  for (const { section, entry } of rows) {
    const entries = document.get(section);
    if (!isSeq(entries)) document.set(section, document.createNode([entry]));
    else {
      const at = entries.items.findIndex((item) => isMap(item) && SAME_BY[section].every(isSame(item, entry)));
      if (at < 0) entries.add(document.createNode(entry));
      else
        for (const [name, value] of Object.entries(entry))
          document.setIn([section, at, name], document.createNode(value));
    }
  }
  return document.toString();
}

function isSame(item: YAMLMap, entry: Row['entry']): (name: string) => boolean {
  return (name) => JSON.stringify(item.toJSON()[name]) === JSON.stringify(entry[name]);
}

/** The text without the `allow` entries of a fault and a resource, as they are written; undefined when there is none. */
export function withoutAllow(text: string, fault: string, resource: string): string | undefined {
  const document = openText(text);
  const entries = document.get('allow');
  if (!isSeq(entries)) return undefined;
  const kept = entries.items.filter(
    (item) => !(isMap(item) && item.get('fault') === fault && item.get('resource') === resource),
  );
  if (kept.length === entries.items.length) return undefined;
  if (kept.length === 0) document.delete('allow');
  else entries.items = kept;
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0;
  return isEmpty ? '' : document.toString();
}

export type AllowForm = Pick<AllowLine, 'fault' | 'resource' | 'reason' | 'owner' | 'until'>;

/** An end as `--until` takes it: a date, a time, or a span from now such as `14d`. Normal form of the file. */
export function endText(given: string, nowMs: number): Result<string> {
  const span = SPAN.exec(given);
  if (span !== null) return ok(isoTime(nowMs + Number(span[1]) * SPAN_MS[span[2] as keyof typeof SPAN_MS]));
  if (endOf(given) !== undefined) return ok(given);
  return bad(`expected an end such as 2026-12-31, 2026-12-31T18:00Z or 14d, got ${given}`);
}

function openText(text: string): Document {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (!isMap(document.contents)) document.contents = document.createNode({}) as never;
  return document;
}
