// Reads a report file without verifying anything but its form: for comparisons that an operator asked for in so many words.
import { isJsonObject } from '#base/json.ts';
import { bad, type Result } from '#base/result.ts';
import { decodeBase64 } from '#codec/base64.ts';
import { decodeStrictJson } from '#codec/strict-json.ts';
import type { Report } from '#model/report.ts';
import { readReport } from './read-report.ts';
import { parseSealedReport } from './seal.ts';

export function openUnverified(bytes: Uint8Array): Result<Report> {
  const sealed = parseSealedReport(bytes);
  if (!sealed.ok) return sealed;
  const payload = decodeBase64(sealed.value.report.payload);
  const value = payload.ok ? decodeStrictJson(payload.value) : payload;
  if (!value.ok) return value;
  return isJsonObject(value.value) ? readReport(value.value) : bad('expected an object as payload, got another type');
}
