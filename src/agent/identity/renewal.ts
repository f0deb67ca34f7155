// Renews this node's certificate at two thirds of its life, by any of several registrars, and shows the new one without ending a session
// (TS-24). Registrars that are away stop nothing before the certificate ends: it tries again, ever more slowly, and warns of the end.
import { type Clock, isoTime } from '#base/clock.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { slept } from '#base/every.ts';
import { createInTurn } from '#base/in-turn.ts';
import type { JsonObject, JsonValue } from '#base/json.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import { OWN_UPKEEP } from '#model/asker.ts';
import type { AuditRecord } from '#model/ports.ts';
import { type Grant, grantSchema } from '#mtls/enrol/messages.ts';
import type { Identity } from '#mtls/identity.ts';
import { issuedAtMs, type Life, renewAtMs, retryAfterMs, warningNow } from '#mtls/lifetime/life.ts';
import { RENEWAL_LIMITS } from '#mtls/renewal/limits.ts';
import { registrarOf } from '#mtls/renewal/registrar-name.ts';
import type { Part } from '../lifecycle.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { LiveIdentity } from './live-identity.ts';
import { RENEW_TOOL } from './renew-tool.ts';

export type RenewalInit = {
  readonly config: {
    readonly node: string;
    readonly identity: { readonly dir: string };
    readonly renewal: { readonly registrars: readonly string[] };
  };
  readonly live: LiveIdentity;
  readonly sessions: Pick<Sessions, 'open'>;
  /** Of a node that is a registrar: what it certifies for itself. */
  readonly renewOwn?: (request: string) => Promise<Grant>;
  readonly trust: { nowMs(): number };
  readonly record: (record: AuditRecord) => void;
  readonly newSessionId: () => string;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
};

export type RenewalState = {
  readonly registrars: readonly string[];
  /** Undefined where no registrar is known. */
  readonly renewAtMs: number | undefined;
  readonly failures: number;
  readonly lastFailure: string | undefined;
  readonly lastRenewedMs: number | undefined;
};

export type Renewal = Part & {
  state(): RenewalState;
  /** Renews now, whatever the time. Rejects with `us/not-renewed`. */
  renewNow(signal: AbortSignal): Promise<Identity>;
};

export function createRenewal(init: RenewalInit): Renewal {
  const { config, live, clock, log, trust } = init;
  const ended = new AbortController();
  const inTurn = createInTurn();
  let failures = 0;
  let lastFailure: string | undefined;
  let lastRenewedMs: number | undefined;
  let retryAtMs = 0;
  let warned: number | undefined;
  let loop: Promise<void> = Promise.resolve();
  const registrars = () => registrarsOf(config, live.current());
  const dueMs = () => Math.max(renewAtMs(live.current(), live.current().thumbprint), retryAtMs);

  const renewNow = (signal: AbortSignal): Promise<Identity> =>
    inTurn(async () => {
      const before = live.current();
      const { dir } = config.identity;
      const { installRenewal, prepareRenewal } = await import('#mtls/renewal/prepare.ts');
      const pending = await prepareRenewal(dir, before);
      const { grant, registrar } = await askAny(init, registrars(), pending.text, signal);
      const next = await live.inTurn(() => installRenewal(dir, grant, live.current(), { nowMs: () => trust.nowMs() }));
      live.replace(next);
      [failures, lastFailure, retryAtMs, warned] = [0, undefined, 0, undefined];
      lastRenewedMs = clock.nowMs();
      const notAfter = isoTime(next.notAfterMs);
      log.info('certificate renewed', { registrar, certificate: next.thumbprint, notAfter });
      const detail = { registrar, before: before.thumbprint, certificate: next.thumbprint, notAfter };
      init.record({ event: 'own-certificate-renewed', detail });
      return next;
    });
  const attempt = async () => {
    try {
      await renewNow(ended.signal);
    } catch (error) {
      if (ended.signal.aborted) return;
      failures += 1;
      lastFailure = messageOf(error);
      const [jitter = 0] = init.random.bytes(1);
      retryAtMs = trust.nowMs() + retryAfterMs(live.current(), failures, jitter / 255, trust.nowMs());
      log.warn('the certificate was not renewed', { failures, reason: lastFailure, again: isoTime(retryAtMs) });
    }
  };
  const warn = () => {
    const { notAfterMs } = live.current();
    const leftMs = notAfterMs - trust.nowMs();
    const level = leftMs <= 0 ? 0 : warningNow(live.current(), trust.nowMs());
    if (level === undefined || level === warned) return;
    warned = level;
    log.error(leftMs <= 0 ? 'the certificate of this node has ended' : 'the certificate of this node ends soon', {
      ...{ notAfter: isoTime(notAfterMs), hoursLeft: Math.max(0, Math.round(leftMs / 360_000) / 10) },
      reason: lastFailure ?? 'no registrar is known',
      remedy: endRemedy(registrars()),
    });
  };
  const run = async () => {
    do {
      warn();
      if (registrars().length > 0 && trust.nowMs() >= dueMs()) await attempt();
    } while (await slept(clock, waitMs(init, dueMs()), ended.signal));
  };
  return {
    name: 'renewal',
    renewNow,
    state: () => {
      const known = registrars();
      return {
        ...{ registrars: known, failures, lastFailure, lastRenewedMs },
        renewAtMs: known.length === 0 ? undefined : dueMs(),
      };
    },
    start: async () => {
      loop = run();
    },
    stop: async () => {
      ended.abort();
      await loop;
    },
  };
}

/** What an operator can do about a certificate that is not renewed. */
export function endRemedy(registrars: readonly string[]): string {
  return registrars.length === 0
    ? 'name the nodes that are registrars in renewal.registrars, or enrol again with "parley enrol --again"'
    : `see that ${registrars.join(' or ')} can be reached, then run "parley renew"`;
}

/** One sentence for every answer of a node whose certificate was not renewed in time; undefined while there is time. */
export function endWarningOf(life: Life, nowMs: number, registrars: readonly string[]): string | undefined {
  if (warningNow(life, nowMs) === undefined) return undefined;
  const leftHours = (life.notAfterMs - nowMs) / 3_600_000;
  const when =
    leftHours <= 0
      ? `has ended, so that other nodes refuse it`
      : `ends in ${leftHours < 1 ? 'less than an hour' : `${Math.floor(leftHours)} h`}`;
  return `The certificate of this node ${when} and was not renewed: ${endRemedy(registrars)}.`;
}

/** The configured ones, else the one that certified this node. */
export function registrarsOf(config: RenewalInit['config'], identity: Identity): readonly string[] {
  const { registrars } = config.renewal;
  const own = registrarOf(identity.chain);
  return registrars.length > 0 || own === undefined ? registrars : [own];
}

/** Short enough to notice a stepped clock, and the warnings. */
function waitMs({ trust, live }: RenewalInit, dueMs: number): number {
  const { notAfterMs, notBeforeMs } = live.current();
  const lifeMs = notAfterMs - issuedAtMs({ notAfterMs, notBeforeMs });
  const leftMs = dueMs - trust.nowMs();
  const longestMs = Math.min(AGENT_LIMITS.renewalCheckMs, lifeMs / 40);
  return Math.max(AGENT_LIMITS.renewalPauseMs, Math.min(leftMs > 0 ? leftMs : longestMs, longestMs));
}

/** One after the other, begun at another one each time. Rejects with `us/not-renewed`, which has every reason. */
async function askAny(
  init: RenewalInit,
  registrars: readonly string[],
  request: string,
  signal: AbortSignal,
): Promise<{ readonly grant: Grant; readonly registrar: string }> {
  if (registrars.length === 0)
    throw new ParleyError('us/not-renewed', 'no registrar is known: name one in renewal.registrars');
  const [first = 0] = init.random.bytes(1);
  const reasons: string[] = [];
  for (let turn = 0; turn < registrars.length; turn++) {
    const registrar = registrars[(first + turn) % registrars.length]!;
    try {
      return { grant: await askOne(init, registrar, request, signal), registrar };
    } catch (error) {
      if (signal.aborted) throw error;
      reasons.push(`${registrar}: ${messageOf(error)}`);
    }
  }
  throw new ParleyError('us/not-renewed', reasons.join('; '), { data: { reasons } });
}

async function askOne(init: RenewalInit, registrar: string, request: string, signal: AbortSignal): Promise<Grant> {
  if (registrar === init.config.node) {
    if (init.renewOwn === undefined) throw new Error('this node is no registrar');
    return init.renewOwn(request);
  }
  const until = AbortSignal.any([signal, AbortSignal.timeout(RENEWAL_LIMITS.renewCallMs)]);
  const session = await init.sessions.open(registrar, until);
  const { answer } = await session.call({
    ...{ kind: 'tool', name: RENEW_TOOL, arguments: { request } },
    ...{ sessionId: init.newSessionId(), asker: OWN_UPKEEP },
    ...{ timeoutMs: RENEWAL_LIMITS.renewCallMs, signal: until },
  });
  if (answer.status !== 'answered') throw new Error(detailOf(answer.body) ?? answer.reason ?? 'it refused');
  const grant = grantSchema.safeParse(answer.body);
  if (!grant.success) throw new Error('expected a certificate, it gave something else');
  return grant.data;
}

function detailOf(body: JsonValue): string | undefined {
  const detail = ((body as JsonObject)['data'] as JsonObject | undefined)?.['detail'];
  return typeof detail === 'string' ? detail : undefined;
}
