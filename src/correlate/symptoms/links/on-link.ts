// Symptoms that lie on a link: how the link is written, and the members that all of them share.
import type { JsonObject } from '#base/json.ts';
import type { Symptom, SymptomKind } from '../../engine/symptom.ts';
import { nodeRef } from '../../network/node-ref.ts';
import { sourcesOf, type World, type WorldLink } from '../../network/world.ts';

export function linkLabel(link: WorldLink): string {
  return `${nodeRef(link.from.node)} ${link.from.ifname} – ${nodeRef(link.to.node)} ${link.to.ifname}`;
}

/** `source`: evidence beside the states of both ends; `part`: tells apart several of one kind on one link. */
export function linkSymptom<Detail extends JsonObject>(
  kind: SymptomKind<Detail>,
  world: World,
  link: WorldLink,
  what: { readonly text: string; readonly detail: Detail; readonly source?: readonly string[]; readonly part?: string },
): Symptom<Detail> {
  const nodes = [link.from.node, link.to.node];
  const { text, detail, source = [], part } = what;
  return kind.raise({
    id: `${kind.kind}:${link.key}${part === undefined ? '' : `/${part}`}`,
    ...{ subject: link.key, text, source: [...sourcesOf(world, ...nodes), ...source], nodes, link, detail },
  });
}
