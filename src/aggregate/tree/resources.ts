// Which subserver has a resource. A URI stays what its subserver calls it, so that links in results can be read as they stand; where two
// subservers use one URI, the later one's is listed as `mcpax://<segment>/<uri>`. Pure over the slots.
import type { JsonObject } from '#base/json.ts';
import { META, objectOf } from '../names/capability.ts';
import type { Slot } from './slot.ts';

const SCHEME = 'mcpax://';

export type Found = { readonly slot: Slot /** What the subserver calls it. */; readonly uri: string };

export type Resources = {
  /** The result of `resources/list` and of `resources/templates/list`. */
  readonly resourcesText: string;
  readonly templatesText: string;
  find(uri: string): Found | undefined;
};

/** The URI of one subserver's resource, where another has the same. */
export function qualified(segment: string, uri: string): string {
  return `${SCHEME}${segment}/${uri}`;
}

export function mergeResources(slots: readonly Slot[]): Resources {
  const bySegment = new Map(slots.map((slot) => [slot.segment, slot]));
  const resources = listed(slots, 'resources', 'uri');
  const templates = listed(slots, 'templates', 'uriTemplate');
  return {
    resourcesText: JSON.stringify({ resources: resources.entries }),
    templatesText: JSON.stringify({ resourceTemplates: templates.entries }),
    find(uri) {
      const given = qualifiedUri(uri);
      const slot = given === undefined ? undefined : bySegment.get(given.segment);
      if (given !== undefined && slot !== undefined) return { slot, uri: given.uri };
      const owner = resources.owners.get(uri) ?? ownerByTemplate(templates.owners, uri);
      return owner === undefined ? undefined : { slot: owner, uri };
    },
  };
}

type Listed = { readonly entries: readonly JsonObject[]; readonly owners: ReadonlyMap<string, Slot> };

function listed(slots: readonly Slot[], kind: 'resources' | 'templates', key: 'uri' | 'uriTemplate'): Listed {
  const owners = new Map<string, Slot>();
  const entries: JsonObject[] = [];
  for (const slot of slots) {
    for (const definition of slot.offers[kind]) {
      const uri = String(definition[key]);
      const shown = owners.has(uri) ? qualified(slot.segment, uri) : uri;
      if (shown === uri) owners.set(uri, slot);
      const meta = objectOf(definition['_meta']);
      const below = meta[META.route];
      const route = [slot.segment, ...(slot.isAggregator && Array.isArray(below) ? below : [])];
      entries.push({ ...definition, [key]: shown, _meta: { ...meta, [META.route]: route } });
    }
  }
  return { entries, owners };
}

function qualifiedUri(uri: string): { readonly segment: string; readonly uri: string } | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const end = uri.indexOf('/', SCHEME.length);
  return end === -1 ? undefined : { segment: uri.slice(SCHEME.length, end), uri: uri.slice(end + 1) };
}

/** The template with the longest beginning that fits: its literal parts stand in the URI in their order. */
function ownerByTemplate(templates: ReadonlyMap<string, Slot>, uri: string): Slot | undefined {
  let best: { readonly slot: Slot; readonly chars: number } | undefined;
  for (const [template, slot] of templates) {
    const parts = template.split(/\{[^{}]*\}/);
    if (!fits(parts, uri)) continue;
    const chars = parts[0]!.length;
    if (best === undefined || chars > best.chars) best = { slot, chars };
  }
  return best?.slot;
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
