// The shape of a symptom: something that is not as it should be and wants a cause. Rules say which symptoms a fault explains.
import type { JsonObject } from '#base/json.ts';
import type { ResourceId } from '#model/names.ts';
import type { WorldLink } from '../network/world.ts';

export type SymptomKind =
  | 'down'
  | 'flap'
  | 'mtu'
  | 'slow'
  | 'narrow'
  | 'rewrite'
  | 'queue'
  | 'corrupt'
  | 'isis'
  | 'ospf'
  | 'bgp'
  | 'bfd'
  | 'daemon'
  | 'silent'
  | 'route'
  | 'reach'
  | 'service'
  | 'filter'
  | 'host'
  | 'dhcp'
  | 'names'
  | 'entry'
  | 'duplicate'
  | 'srv6'
  | 'metric'
  | 'past'
  | 'restarted'
  | 'expected'
  | 'contradiction'
  | 'silent-link';

export type Symptom = {
  readonly id: string;
  readonly kind: SymptomKind;
  readonly subject: ResourceId;
  /** For people, with node marks. */
  readonly text: string;
  readonly source: readonly string[];
  readonly nodes: readonly string[];
  /** The link it lies on, if it lies on one. */
  readonly link?: WorldLink;
  /** Links and nodes that the packets in question cross. */
  readonly way?: { readonly links: readonly ResourceId[]; readonly nodes: readonly string[] };
  readonly detail: JsonObject;
};
