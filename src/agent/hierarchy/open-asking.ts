// What an aggregator with an identity needs to answer questions: its signer, the store of its reports, and the tools over both.
import { join } from 'node:path';
import type { Core } from '#aggregate/tree/core.ts';
import type { OwnTool } from '#aggregate/tree/own-definitions.ts';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { systemRandom } from '#base/random.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';
import type { AuditSink, Signer } from '#model/ports.ts';
import type { Trust } from '#mtls/trust.ts';
import type { ChainVerifier } from '#report/countersign.ts';
import { createReportDefinitions } from '#report/definitions.ts';
import { openReportStore } from '#report/store.ts';
import { createSigner } from '#sign/signer.ts';
import type { LiveIdentity } from '../identity/live-identity.ts';
import { storeLimitsOf } from '../parts/report-retention.ts';
import { createAskBelow } from './ask-below.ts';
import { ownToolOf } from './report-tools.ts';

export type Secure = { readonly live: LiveIdentity; readonly trust: Trust };

export type AskingTools = {
  readonly signer: Signer;
  readonly tools: (core: () => Core) => readonly OwnTool[];
  close(): Promise<void>;
};

/** Tools of agents that an aggregator has over its own reports. */
const REPORT_TOOLS = new Set(['parley-report-list', 'parley-report-fetch']);

export async function openAsking(
  config: Pick<AggregateConfig, 'state' | 'reports'>,
  { live }: Secure,
  { clock, verify, trail }: { readonly clock: Clock; readonly verify: ChainVerifier; readonly trail: AuditSink },
): Promise<AskingTools> {
  // The signing key stays when the certificate is renewed.
  const { party, signingKey } = live.current();
  const signer = createSigner({ node: party.name, privateKey: signingKey });
  const store = await openReportStore({
    dir: join(config.state, 'reports'),
    clock,
    limits: storeLimitsOf(config),
    record: (record) => trail.append(record),
  });
  const { tools: overReports } = createReportDefinitions({ store, verifyChain: verify, clock });
  return {
    signer,
    tools: (core) => [
      createAskBelow({
        core,
        vouching: () => core().vouching ?? noVouching(),
        signer,
        chain: () => live.current().chain,
        verifyChain: verify,
        store,
        clock,
        random: systemRandom,
      }),
      ...overReports.filter(({ name }) => REPORT_TOOLS.has(name)).map(ownToolOf),
    ],
    close: () => store.close(),
  };
}

function noVouching(): never {
  throw new ParleyError('us/no-asker', 'expected an aggregator that can say who asked, got another');
}
