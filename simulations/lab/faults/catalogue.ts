// The project's catalogue of injections, by id.
import { aclMisconfig } from './acl-misconfig.ts';
import type { Fault } from './fault.ts';
import { load } from './load.ts';
import { packetLoss } from './packet-loss.ts';

export const FAULTS: ReadonlyMap<string, Fault> = new Map(
  [packetLoss, aclMisconfig, load].map((fault) => [fault.id, fault]),
);

export function faultIds(): string[] {
  return [...FAULTS.keys()].sort();
}
