// What an admin is shown is the whole change, or nothing is signed (TS-28): used by the agent that asks and by the helper that verifies.
import { CONSENT_LIMITS } from './limits.ts';

/** Why a change of so many characters is not put to an admin: nothing is signed that was not shown. */
export function tooLong(chars: number): string {
  return `the change has ${chars} characters, and at most ${CONSENT_LIMITS.consentSummaryChars} can be shown to an admin: make it in several steps`;
}
