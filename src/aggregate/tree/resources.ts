// Which subserver has a resource. A URI stays what its subserver calls it, so that links in results can be read as they stand. Where two
// subservers use one URI, the later one's is `mcpax://<segment>/<uri>`, and so is each that a subserver has qualified already: no subserver can
// make a URI that names another one. In a mounted subtree, URIs are those that the subtree itself would list. Pure over the slots.
import type { JsonObject } from '#base/json.ts';
import { META, objectOf } from '../names/capability.ts';
import type { Answer } from '../wire/message.ts';
import { pagesOf } from './pages.ts';
import type { Slot } from './slot.ts';

const SCHEME = 'mcpax://';

export type Found = { readonly slot: Slot /** What the subserver calls it. */; readonly uri: string };

export type Resources = {
  /** One page of `resources/list` or of `resources/templates/list`, kept; undefined for a cursor that is none. */
  resourcePage(cursor: string | undefined): Answer | undefined;
  templatePage(cursor: string | undefined): Answer | undefined;
  find(uri: string): Found | undefined;
  /** The same without what only fits a template: what this URI is the name of. */
  named(uri: string): Found | undefined;
  /** What is meant by a URI beside this route; undefined where the route leads out of the mounted subtree, or nowhere. */
  along(route: readonly string[], uri: string): Found | undefined;
};

/** The URI of one subserver's resource, where another has the same. */
export function qualified(segment: string, uri: string): string {
  const below = partsOf(uri);
  return below === undefined
    ? `${SCHEME}${segment}/${uri}`
    : `${SCHEME}${[segment, ...below.path].join('.')}/${below.uri}`;
}

/** `mount`: only what lies below this path. */
export function mergeResources(slots: readonly Slot[], mount?: string): Resources {
  const bySegment = new Map(slots.map((slot) => [slot.segment, slot]));
  const [top, ...deeper] = mount?.split('.') ?? [];
  const resources = within(listed(slots, 'resources', 'uri'), top, deeper);
  const templates = within(listed(slots, 'templates', 'uriTemplate'), top, deeper);
  /** `path` ends in the tree; in a mount, what its top slot has to be asked for. */
  const down = (path: readonly string[], uri: string): Found | undefined => {
    const [first, ...rest] = top === undefined ? path : [top, ...deeper, ...path];
    const slot = first === undefined ? undefined : bySegment.get(first);
    return slot === undefined
      ? undefined
      : { slot, uri: rest.reduceRight((below, each) => qualified(each, below), uri) };
  };
  const named = (uri: string): Found | undefined => {
    const offer = resources.get(uri) ?? templates.get(uri);
    if (offer !== undefined) return { slot: offer.slot, uri: offer.uri };
    const given = partsOf(uri);
    return given === undefined ? undefined : down(given.path, given.uri);
  };
  return {
    resourcePage: pagesOf(resources, {
      member: 'resources',
      own: [],
      listed: (offer, uri) => shownAs(offer, 'uri', uri),
    }),
    templatePage: pagesOf(templates, {
      member: 'resourceTemplates',
      own: [],
      listed: (offer, uri) => shownAs(offer, 'uriTemplate', uri),
    }),
    named,
    find(uri) {
      const known = named(uri);
      if (known !== undefined || partsOf(uri) !== undefined) return known;
      const fitting = byTemplate(templates, uri);
      return fitting === undefined
        ? undefined
        : { slot: fitting.slot, uri: fitting.hidden.reduceRight((below, each) => qualified(each, below), uri) };
    },
    along(route, uri) {
      const mounted = top === undefined ? [] : [top, ...deeper];
      if (!mounted.every((segment, index) => route[index] === segment)) return undefined;
      return top === undefined ? down(route.slice(0, 1), uri) : down([], uri);
    },
  };
}

/** What a found resource is called in the whole tree. */
export function nameIn(whole: Resources, { slot, uri }: Found): string {
  const known = whole.find(uri);
  return known?.slot === slot && known.uri === uri ? uri : qualified(slot.segment, uri);
}

type Offer = Found & {
  /** From here to the server that has it. */
  readonly route: readonly unknown[];
  readonly definition: JsonObject;
  /** Segments that the slot's URI has in front, and the one that is shown in a mount has not. */
  readonly hidden: readonly string[];
};

/** By the URI that is shown. */
type Offers = ReadonlyMap<string, Offer>;

function listed(slots: readonly Slot[], kind: 'resources' | 'templates', key: 'uri' | 'uriTemplate'): Offers {
  const offers = new Map<string, Offer>();
  for (const slot of slots) {
    for (const definition of slot.offers[kind]) {
      const uri = String(definition[key]);
      const below = objectOf(definition['_meta'])[META.route];
      const route = [slot.segment, ...(slot.isAggregator && Array.isArray(below) ? below : [])];
      const shown = uri.startsWith(SCHEME) || offers.has(uri) ? qualified(slot.segment, uri) : uri;
      if (!offers.has(shown)) offers.set(shown, { slot, uri, route, definition, hidden: [] });
    }
  }
  return offers;
}

/** Those below the mount, each by the URI that the mounted subtree has for it. */
function within(offers: Offers, top: string | undefined, deeper: readonly string[]): Offers {
  if (top === undefined) return offers;
  const mount = [top, ...deeper];
  const found = new Map<string, Offer>();
  for (const offer of offers.values()) {
    if (!mount.every((segment, index) => offer.route[index] === segment)) continue;
    const { uri, hidden } = relative(offer.uri, deeper);
    if (!found.has(uri)) found.set(uri, { ...offer, hidden });
  }
  return found;
}

/** The URI without those of the segments that stand in front of it. */
function relative(
  uri: string,
  segments: readonly string[],
): { readonly uri: string; readonly hidden: readonly string[] } {
  let rest = uri;
  for (const [index, segment] of segments.entries()) {
    const given = partsOf(rest);
    if (given?.path[0] !== segment) return { uri: rest, hidden: segments.slice(0, index) };
    const [, ...path] = given.path;
    rest = path.length === 0 ? given.uri : `${SCHEME}${path.join('.')}/${given.uri}`;
  }
  return { uri: rest, hidden: segments };
}

function shownAs({ definition, route }: Offer, key: 'uri' | 'uriTemplate', uri: string): JsonObject {
  const meta = { ...objectOf(definition['_meta']), [META.route]: route as readonly string[] };
  return { ...definition, [key]: uri, _meta: meta };
}

/** Of a qualified URI: the segments, and what the last of them calls it. Undefined for any other. */
function partsOf(uri: string): { readonly path: readonly string[]; readonly uri: string } | undefined {
  const [, path, rest] = /^mcpax:\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\/(.*)$/s.exec(uri) ?? [];
  return path === undefined || rest === undefined ? undefined : { path: path.split('.'), uri: rest };
}

/** The template with the longest beginning that fits: its literal parts stand in the URI in their order. */
function byTemplate(templates: Offers, uri: string): Offer | undefined {
  let best: { readonly offer: Offer; readonly chars: number } | undefined;
  for (const [template, offer] of templates) {
    const parts = template.split(/\{[^{}]*\}/);
    if (!fits(parts, uri)) continue;
    const chars = parts[0]!.length;
    if (best === undefined || chars > best.chars) best = { offer, chars };
  }
  return best?.offer;
}

function fits(parts: readonly string[], uri: string): boolean {
  const [first = '', ...rest] = parts;
  if (!uri.startsWith(first)) return false;
  let index = first.length;
  for (const [at, part] of rest.entries()) {
    const found = at === rest.length - 1 && part !== '' ? uri.lastIndexOf(part) : uri.indexOf(part, index);
    if (found < index) return false;
    index = found + part.length;
  }
  return rest.length === 0 || rest.at(-1) === '' || index === uri.length;
}
