// The model's own reading of the measurements as a candidate: `source: model`, never chosen, always marked unverified. Nothing
// is done because of it (TS-17, CARD-5).
import { isJsonObject } from '#base/json.ts';
import type { Candidate, Diagnosis } from '#model/finding.ts';
import type { Brief } from './brief.ts';

/** Undefined when the answer names no resource and fault that it was offered. */
export function modelCandidate(answer: unknown, brief: Brief, diagnosis: Diagnosis): Candidate | undefined {
  if (!isJsonObject(answer)) return undefined;
  const [standIn, fault] = [answer['resource'], answer['fault']];
  if (typeof standIn !== 'string' || typeof fault !== 'string' || !brief.faults.includes(fault)) return undefined;
  const resource = brief.resources.get(standIn);
  if (resource === undefined || resource.startsWith('interface/') !== (fault === 'packet_loss')) return undefined;
  return { resource, fault, source: 'model', chosen: false, why: whyOf(resource, fault, diagnosis) };
}

function whyOf(resource: string, fault: string, { verdict, findings }: Diagnosis): string {
  if (verdict.kind === 'inconclusive') return 'the rules are inconclusive; unverified';
  const agrees = findings.some((finding) => finding.resource === resource && finding.fault === fault);
  return agrees ? 'agrees with the rules' : 'disagrees with the rules; unverified';
}
