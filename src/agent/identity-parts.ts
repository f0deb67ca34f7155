// The parts of an agent that keep its identity and the domain's trust list current, and their tools. Wiring only.
import type { ToolDefinition } from '#model/definition.ts';
import type { Foundation } from './foundation.ts';
import { identityTools } from './identity/identity-tool.ts';
import { createIdentityWatch } from './identity/identity-watch.ts';
import { createRenewTool } from './identity/renew-tool.ts';
import { createRenewal, endWarningOf } from './identity/renewal.ts';
import { createTrustLists } from './identity/trust-lists.ts';
import type { Part } from './lifecycle.ts';
import type { Sessions } from './sessions/sessions.ts';

export function createIdentityParts(foundation: Foundation, sessions: Sessions) {
  const { config, verifyNow } = foundation;
  const { dir } = config.registrar;
  const registrar = dir === undefined ? undefined : createRenewTool({ ...foundation, dir, verify: verifyNow });
  const renewal = createRenewal({ ...foundation, sessions, ...(registrar && { renewOwn: registrar.own }) });
  const trustLists = createTrustLists({ ...foundation, file: config.trustList.file, sessions });
  const tools: readonly ToolDefinition[] = [
    trustLists.tool,
    ...(registrar === undefined ? [] : [registrar.tool]),
    ...identityTools({ ...foundation, renewal }),
  ];
  const parts: readonly Part[] = [trustLists, renewal, createIdentityWatch(foundation)];
  const { trust } = foundation;
  const endWarning = () => endWarningOf(foundation.identity(), trust.nowMs(), renewal.state().registrars);
  return { tools, resources: [], parts, endWarning };
}
