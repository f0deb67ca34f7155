// Entries of `expectations.yaml` from the labels of a containerlab topology (docs/operations/expectations.md). Labels stand at nodes and at
// links; other labels are of no concern here. A label that cannot be used is a note, and no entry.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import type { Row } from '#config/expectations-edit.ts';
import { isNodeName } from '#model/names.ts';
import { readTopology, type TopologyLink } from './clab-links.ts';
import type { ImportedRows } from './netbox-export.ts';

const PREFIX = 'parley.';
const KNOWN = ['expect', 'allow', 'maintenance', 'until', 'reason', 'owner'] as const;
type Label = (typeof KNOWN)[number];
type Labels = Partial<Record<Label, string>>;

/** Throws ParleyError `caller/unreadable-file` for what is no topology. */
export function rowsOfTopology(text: string, file: string): ImportedRows {
  const { name, nodes, links } = readTopology(text, file);
  const notes: string[] = [];
  const rows = [
    ...Object.entries(nodes).flatMap(([node, value]) => {
      const labels = labelsOf(value, `node ${node}`, notes);
      if (Object.keys(labels).length === 0) return [];
      if (isNodeName(node))
        return rowsOf(labels, { resource: `node/${node}`, nodes: [node] }, `node ${node}`, name, notes);
      notes.push(`node ${node}: not a name that an agent can have: left out`);
      return [];
    }),
    ...links.flatMap((link) => {
      const what = linkText(link);
      const labels = labelsOf(link.entry, `link ${what}`, notes);
      return rowsOf(labels, { resource: `link/${what}`, links: [what] }, `link ${what}`, name, notes);
    }),
  ];
  return { rows, notes };
}

function linkText({ a, b }: TopologyLink): string {
  return `${a.node}:${a.ifname}--${b.node}:${b.ifname}`;
}

function labelsOf(value: JsonValue | undefined, where: string, notes: string[]): Labels {
  const given = isJsonObject(value) && isJsonObject(value['labels']) ? value['labels'] : ({} satisfies JsonObject);
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, label]) => {
      if (!key.startsWith(PREFIX)) return [];
      const name = key.slice(PREFIX.length);
      if ((KNOWN as readonly string[]).includes(name)) return [[name, String(label)]];
      notes.push(
        `${where}: ${key} is no label that is read (those are ${KNOWN.map((each) => PREFIX + each).join(', ')})`,
      );
      return [];
    }),
  );
}

type Place = { readonly resource: string; readonly nodes?: readonly string[]; readonly links?: readonly string[] };

function rowsOf(labels: Labels, place: Place, where: string, topology: string, notes: string[]): readonly Row[] {
  const { expect, allow, maintenance, until } = labels;
  const said = { reason: labels.reason ?? `labels of ${where}`, owner: labels.owner ?? topology };
  const rows: Row[] = [];
  const [link] = place.links ?? [];
  if (expect === 'true' && link !== undefined) rows.push({ section: 'expect', entry: { link, ...said } });
  else if (expect !== undefined && expect !== 'false')
    notes.push(`${where}: parley.expect is "true", and at a link: left out`);
  if (allow !== undefined && until === undefined) notes.push(`${where}: parley.allow needs parley.until: left out`);
  if (allow !== undefined && until !== undefined)
    for (const fault of allow.split(',').map((each) => each.trim()))
      rows.push({ section: 'allow', entry: { fault, resource: place.resource, ...said, until } });
  const [from, to] = maintenance?.split('/') ?? [];
  const { resource, ...places } = place;
  if (from !== undefined && to !== undefined)
    rows.push({ section: 'maintenance', entry: { from, until: to, ...places, ...said } });
  else if (maintenance !== undefined)
    notes.push(`${where}: parley.maintenance is BEGINNING/END such as 2026-06-01T20:00Z/2026-06-01T22:00Z: left out`);
  return rows;
}
