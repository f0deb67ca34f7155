// The model's own reading of the measurements as a candidate: `source: model`, never chosen, always marked unverified. Nothing
// is done because of it (TS-17, CARD-5).
import { isJsonObject } from '#base/json.ts';
import type { Candidate, Diagnosis } from '#model/finding.ts';
import { type Brief, formOf } from './brief.ts';

/** Undefined when the answer names no resource and fault that it was offered, or a fault that such a resource cannot have. */
export function modelCandidate(answer: unknown, brief: Brief, diagnosis: Diagnosis): Candidate | undefined {
  if (!isJsonObject(answer)) return undefined;
  const [standIn, named] = [answer['resource'], answer['fault']];
  if (typeof standIn !== 'string' || typeof named !== 'string') return undefined;
  const resource = brief.resources.get(standIn);
  const known = brief.faults.find(({ fault }) => fault === named);
  if (resource === undefined || known === undefined || formOf(resource) !== known.form) return undefined;
  const { fault } = known;
  return { resource, fault, source: 'model', chosen: false, why: whyOf(resource, fault, diagnosis) };
}

function whyOf(resource: string, fault: string, { verdict, findings }: Diagnosis): string {
  if (verdict.kind === 'inconclusive') return 'the rules are inconclusive; unverified';
  const agrees = findings.some((finding) => finding.resource === resource && finding.fault === fault);
  return agrees ? 'agrees with the rules' : 'disagrees with the rules; unverified';
}
