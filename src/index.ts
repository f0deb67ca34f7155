// The public API: what another program may build on. Everything is exported by name and on purpose; test/index.test.ts pins the list.
export { type Agent, createAgent } from '#agent/create-agent.ts';
export { type Blame, ParleyError } from '#base/error.ts';
export { createLog, type Log, type LogLevel } from '#base/log.ts';
export { type ConfigSources, loadConfig } from '#config/load.ts';
export type { Config } from '#config/schema.ts';
export { diagnose } from '#correlate/diagnose.ts';
export { type ParsedIntent, parseIntent } from '#intent/parse.ts';
export type { Outcome } from '#model/call.ts';
export type { Evidence } from '#model/evidence.ts';
export type { Diagnosis, Finding, SegmentLoss, Verdict } from '#model/finding.ts';
export type { CertificateChain, Party } from '#model/identity.ts';
export type { Intent } from '#model/intent.ts';
export type { Report, SealedReport } from '#model/report.ts';
export { verifyChain } from '#mtls/verify-chain.ts';
export { verifySealedReport } from '#report/verify.ts';
