// The text of `expectations.yaml` (docs/operations/expectations.md): read whole or not at all, every problem with its line.
import { type Document, isMap, isNode, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import * as z from 'zod';
import { isoTime } from '#base/clock.ts';
import { parsePrefix } from '#base/ip.ts';
import { isJsonObject } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { nearestNames } from '#base/nearest-names.ts';
import { isNodeName } from '#model/names.ts';
import {
  type AllowLine,
  type ExpectationLine,
  type ExpectLine,
  LINK,
  type MaintenanceLine,
} from '#model/router/expectations.ts';
import { SERVICE_PORTS } from '#model/router/hosts.ts';

export type ReadingInit = {
  /** Ids that `fault:` may name. */
  readonly faults: readonly string[];
  /** Set when the text is about to be saved: what ended before is refused then. */
  readonly nowMs?: number;
};

/** All problems at once, `line 4: …` each. */
export type Problems = readonly string[];
type Read = { readonly lines: readonly ExpectationLine[] } | { readonly problems: Problems };

/** `2026-12-31` lasts until its end, in UTC. */
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
const DAY_MS = 86_400_000;
const RESOURCE = /^(?:\*|(?:node|interface|link)\/\S+)$/;
/** Those that routers try (docs/operations/monitored-hosts.md). */
const SERVICES: readonly string[] = [
  'udp/53',
  ...SERVICE_PORTS.filter((port) => port !== 53).map((port) => `tcp/${port}`),
];

const words = z
  .string({ error: 'expected text' })
  .min(1, 'expected text')
  .max(LIMITS.expectationChars, `expected at most ${LIMITS.expectationChars} characters`);
const until = words.refine((text) => endOf(text) !== undefined, {
  error: (issue) =>
    `expected a date such as 2026-12-31 or a time such as 2026-12-31T18:00Z, got ${String(issue.input)}`,
});
const linkName = words.regex(LINK, 'expected a link such as r1:eth1--r2:eth1');
const said = { reason: words, owner: words };
const list = <Row extends z.ZodType>(row: Row) =>
  z
    .array(row, { error: 'expected a list' })
    .max(LIMITS.expectationLines, `expected at most ${LIMITS.expectationLines}`);

const expectSchema = z
  .strictObject({
    link: linkName.exactOptional(),
    session: words.refine(isAddress, 'expected the address of the peer').exactOptional(),
    route: words
      .refine(
        (text) => text.includes('/') && parsePrefix(text) !== undefined,
        'expected a prefix such as 198.18.0.0/24',
      )
      .exactOptional(),
    service: words.refine((text) => SERVICES.includes(text), `expected one of ${SERVICES.join(', ')}`).exactOptional(),
    at: words.exactOptional(),
    reason: words.exactOptional(),
    owner: words.exactOptional(),
  })
  .superRefine((line, context) => {
    const problem = expectProblem(line);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const fileSchema = (faults: readonly string[]) =>
  z.strictObject({
    expect: list(expectSchema).nullish(),
    allow: list(
      z.strictObject({
        fault: words.refine((id) => id === '*' || faults.includes(id), {
          error: (issue) =>
            `expected a fault of docs/faults.md or "*", got ${String(issue.input)}; the nearest: ${nearestNames(String(issue.input), faults).join(', ')}`,
        }),
        resource: words.regex(
          RESOURCE,
          'expected a resource such as node/r1, interface/r1/eth1, link/r1:*--r3:* or "*"',
        ),
        until,
        ...said,
      }),
    ).nullish(),
    maintenance: list(
      z
        .strictObject({
          from: words.refine(
            (text) => startOf(text) !== undefined,
            'expected a date such as 2026-12-31 or a time such as 2026-12-31T18:00Z',
          ),
          until,
          nodes: list(words.refine(isNodeName, 'expected the name of a node'))
            .max(LIMITS.expectationPlaces)
            .exactOptional(),
          links: list(linkName).max(LIMITS.expectationPlaces).exactOptional(),
          ...said,
        })
        .superRefine(({ from, until: end, nodes = [], links = [] }, context) => {
          if (nodes.length + links.length === 0)
            context.addIssue({ code: 'custom', message: 'expected nodes or links, got neither' });
          if ((startOf(from) ?? 0) >= (endOf(end) ?? Number.POSITIVE_INFINITY))
            context.addIssue({ code: 'custom', path: ['until'], message: 'expected an end after its beginning' });
        }),
    ).nullish(),
  });
type FileForm = z.output<ReturnType<typeof fileSchema>>;

export function readExpectations(text: string, init: ReadingInit): Read {
  if (text.length > LIMITS.expectationsChars)
    return { problems: [`expected at most ${LIMITS.expectationsChars} characters, got ${text.length}`] };
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const lineAt = (offset: number) => counter.linePos(offset).line;
  if (document.errors.length > 0)
    return { problems: document.errors.map(({ pos, message }) => `line ${lineAt(pos[0])}: ${message}`) };
  // Aliases would let a small file become a large one.
  if (hasAlias(document)) return { problems: ['expected no aliases'] };
  const value: unknown = document.toJS() ?? {};
  if (!isJsonObject(value)) return { problems: ['line 1: expected the keys expect, allow and maintenance'] };
  const told = (problems: readonly Placed[]): Read => ({
    problems: problems
      .map(({ path, message, at = path }) => ({
        line: lineAt(offsetOf(document, at)),
        text: `${nameOf(path)}${message}`,
      }))
      .sort((one, other) => one.line - other.line)
      .map(({ line, text: problem }) => `line ${line}: ${problem}`),
  });
  const parsed = fileSchema(init.faults).safeParse(value);
  if (!parsed.success) return told(parsed.error.issues.flatMap(wordsOf));
  const lines = linesOf(parsed.data);
  if (lines.length > LIMITS.expectationLines)
    return { problems: [`expected at most ${LIMITS.expectationLines} entries, got ${lines.length}`] };
  const past = init.nowMs === undefined ? [] : pastProblems(parsed.data, init.nowMs);
  return past.length > 0 ? told(past) : { lines };
}

function hasAlias(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

function linesOf({ expect, allow, maintenance }: FileForm): readonly ExpectationLine[] {
  return [
    ...(expect ?? []).map(({ link, session, route, service, ...rest }): ExpectLine => {
      if (link !== undefined) return { kind: 'expect', what: 'link', subject: link, ...rest };
      if (session !== undefined) return { kind: 'expect', what: 'session', subject: session, ...rest };
      if (route !== undefined) return { kind: 'expect', what: 'route', subject: route, ...rest };
      return { kind: 'expect', what: 'service', subject: service!, ...rest };
    }),
    ...(allow ?? []).map((line): AllowLine => ({ kind: 'allow', ...line, until: isoTime(endOf(line.until)!) })),
    ...(maintenance ?? []).map(
      ({ nodes = [], links = [], ...line }): MaintenanceLine => ({
        ...{ kind: 'maintenance', ...line, nodes, links },
        from: isoTime(startOf(line.from)!),
        until: isoTime(endOf(line.until)!),
      }),
    ),
  ];
}

/** `at`: where it stands, when that is not the place that is named. */
type Placed = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly at?: readonly PropertyKey[];
};

function pastProblems({ allow, maintenance }: FileForm, nowMs: number): readonly Placed[] {
  const isPast = ({ until: end }: { readonly until: string }) => endOf(end)! <= nowMs;
  return Object.entries({ allow: allow ?? [], maintenance: maintenance ?? [] }).flatMap(([kind, lines]) =>
    lines.flatMap((line, index): Placed[] =>
      isPast(line)
        ? [
            {
              path: [kind, index, 'until'],
              message: `expected an end after ${isoTime(nowMs)}, got ${line.until}: give it a later end, or remove it`,
            },
          ]
        : [],
    ),
  );
}

type ExpectForm = {
  readonly [Name in 'link' | 'session' | 'route' | 'service' | 'at']?: string;
};

function expectProblem({ link, session, route, service, at }: ExpectForm): string | undefined {
  const given = [link, session, route, service].filter((each) => each !== undefined);
  if (given.length !== 1) return `expected one of link, session, route and service, got ${given.length}`;
  if (link !== undefined) return at === undefined ? undefined : 'expected no "at" beside a link';
  if (at === undefined)
    return `expected "at" with ${service === undefined ? 'the name of a node' : 'the address of the service'}`;
  if (service !== undefined)
    return isAddress(at) && !at.includes(':') ? undefined : `at: expected the IPv4 address of the service, got ${at}`;
  return isNodeName(at) ? undefined : `at: expected the name of a node, got ${at}`;
}

function isAddress(text: string): boolean {
  return !text.includes('/') && parsePrefix(text) !== undefined;
}

function startOf(text: string): number | undefined {
  if (!DATE.test(text) && !TIME.test(text)) return undefined;
  const ms = Date.parse(text);
  // A day that no month has would otherwise be one of the next month.
  return Number.isNaN(ms) || (DATE.test(text) && isoTime(ms).slice(0, 10) !== text) ? undefined : ms;
}

/** An end as the file writes it, in milliseconds since the epoch; of a date, its end. */
export function endOf(text: string): number | undefined {
  const start = startOf(text);
  return start === undefined || !DATE.test(text) ? start : start + DAY_MS - 1;
}

/** Each unknown key at its own place. */
function wordsOf(issue: z.core.$ZodIssue): readonly Placed[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: issue.path, at: [...issue.path, key], message: `unknown key ${key}` }));
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ path: issue.path, message: missing ? `${issue.message}, got nothing` : issue.message }];
}

/** Where a path begins in the text: its key, or the nearest place above it that is there. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  const last = path.at(-1);
  if (last === undefined) return 0;
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => keyName(key) === last) : undefined;
  if (pair !== undefined && isNode(pair.key)) return pair.key.range?.[0] ?? 0;
  const item = isSeq(parent) ? parent.items[Number(last)] : undefined;
  if (isNode(item)) return item.range?.[0] ?? 0;
  return offsetOf(document, path.slice(0, -1));
}

function keyName(key: unknown): unknown {
  return isNode(key) ? (key as { readonly value?: unknown }).value : key;
}

/** `allow, entry 2, fault: `. */
function nameOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '';
  return `${path.map((part) => (typeof part === 'number' ? `entry ${part + 1}` : String(part))).join(', ')}: `;
}
