// Names of things: nodes, and the resource ids that findings use (docs/design.md §1).

/** A node name as its certificate spells it: lower case letters, digits, `-`, `_`, `.`; at most 63 characters. */
export const NODE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

export function isNodeName(text: string): boolean {
  return NODE_NAME.test(text);
}

/** `PE-1`, `pe_1` and `pe1` are one node to an operator: the key under which names are compared. */
export function nodeKey(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]/g, '');
}

export type ResourceId = `node/${string}` | `interface/${string}/${string}` | `link/${string}--${string}`;

/** One end of a link. */
export type LinkEnd = { readonly node: string; readonly ifname: string };

export function nodeResource(node: string): ResourceId {
  return `node/${node}`;
}

export function interfaceResource(end: LinkEnd): ResourceId {
  return `interface/${end.node}/${end.ifname}`;
}

/** `link/<node>:<if>--<node>:<if>` with the two ends sorted. */
export function linkResource(one: LinkEnd, other: LinkEnd): ResourceId {
  const [first, second] = [`${one.node}:${one.ifname}`, `${other.node}:${other.ifname}`].sort();
  return `link/${first}--${second}`;
}

/** The node of a resource, or both of a link. */
export function nodesOf(resource: ResourceId): readonly string[] {
  const [form, place = ''] = resource.split('/');
  if (form !== 'link') return [place];
  const ends = resource.slice('link/'.length).split('--');
  return [...new Set(ends.map((end) => end.slice(0, end.indexOf(':'))))];
}

/** The MAC address of a VRRP group, IPv4 or IPv6 (RFC 9568 §7.3). */
export function isVirtualRouterMac(mac: string): boolean {
  return /^00:00:5e:00:0[12]:/i.test(mac);
}
