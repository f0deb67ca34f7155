// What the tools over stored reports share.
import { REPORT_ID } from './read-report.ts';

export const REPORT_CAPABILITY = 'parley-reports';
export const ID_SCHEMA = { type: 'string', pattern: REPORT_ID.source };
