// A way that is told by the names of its nodes, as the troubleshooting draft's calls do (§5 Step-3) [TS-15]. Who knows the nodes makes
// addresses of it; a node on its own knows no other's.
import { ParleyError } from '#base/error.ts';
import { WIRE_CODES } from '#model/definition.ts';

export type NamedWay = {
  readonly tail: string;
  /** Names of nodes whose SIDs are visited, in order; empty: as packets are routed. */
  readonly sidList: readonly string[];
};

/** As the probe takes it. */
export type ProbeWay = {
  readonly destination: string;
  readonly source?: string;
  readonly segments: readonly string[];
};

export function noWay(reason: string): ParleyError {
  return new ParleyError('caller/no-path', reason, {
    data: { wireCode: WIRE_CODES.configIncompatible, retryPossible: false },
  });
}
