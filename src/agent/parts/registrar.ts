// The enrolment port of a node that is a registrar (TS-24): open only while a code waits for its node, or was used a moment ago. A folder or
// a port that is not usable is said in the log and tried again: the rest of the agent does not wait for it.
import type { Clock } from '#base/clock.ts';
import { messageOf } from '#base/error.ts';
import { slept } from '#base/every.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Config } from '#config/schema.ts';
import type { AuditRecord } from '#model/ports.ts';
import { createOpenWatch } from '#mtls/enrol/code-store.ts';
import { ENROL_LIMITS } from '#mtls/enrol/limits.ts';
import type { EnrolmentOutcome } from '#mtls/enrol/registrar.ts';
import type { RegistrarListener } from '#mtls/enrol/registrar-listener.ts';
import type { Identity } from '#mtls/identity.ts';
import { createRefusalReporter, type RefusedConnection } from '#mtls/refusal-reporter.ts';
import type { Trust } from '#mtls/trust.ts';
import type { Part } from '../lifecycle.ts';

export function createRegistrarPart(parts: {
  readonly config: Pick<Config, 'registrar'>;
  readonly identity: () => Identity;
  readonly trust: Pick<Trust, 'nowMs'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly record: (record: AuditRecord) => void;
}): Part {
  const { log } = parts;
  // A clock that is years behind must certify nothing into the past, and bring no ended code back.
  const clock: Clock = { ...parts.clock, nowMs: () => parts.trust.nowMs() };
  const { dir, host, port } = parts.config.registrar;
  const stopped = new AbortController();
  let listener: RegistrarListener | undefined;
  let lastFault = '';
  let loop: Promise<void> = Promise.resolve();
  const onOutcome = recorder(parts);

  const open = async (dir: string) => {
    // Loaded here alone: the arithmetic of SPAKE2+ takes 11 MB, which a node that enrols no other does without.
    const { createRegistrar } = await import('#mtls/enrol/registrar.ts');
    const { listenRegistrar } = await import('#mtls/enrol/registrar-listener.ts');
    const registrar = await createRegistrar({ dir, clock, random: parts.random });
    return listenRegistrar({ ...parts, identity: parts.identity(), clock, registrar, host, port, onOutcome });
  };
  const watch = createOpenWatch(dir ?? '');
  const look = async (dir: string) => {
    try {
      const isOpen = await watch(clock.nowMs());
      if (isOpen && listener === undefined) {
        listener = await open(dir);
        log.info('enrolment port opened', { port: listener.port });
      } else if (!isOpen && listener !== undefined) {
        await listener.close();
        listener = undefined;
        log.info('enrolment port closed, no code waits for its node', { port });
      }
      lastFault = '';
    } catch (error) {
      if (messageOf(error) !== lastFault) log.error('this node is no registrar now', { reason: messageOf(error) });
      lastFault = messageOf(error);
    }
  };
  return {
    name: 'registrar',
    start: async () => {
      if (dir === undefined) return;
      await look(dir);
      loop = (async () => {
        while (await slept(clock, ENROL_LIMITS.openCheckMs, stopped.signal)) await look(dir);
      })();
    },
    stop: async () => {
      stopped.abort();
      await loop;
      await listener?.close();
    },
  };
}

/** Ended before a run was counted, which strangers can cause without end. */
const UNCOUNTED: ReadonlySet<EnrolmentOutcome['outcome']> = new Set(['unknown-code', 'locked', 'too-often']);

/**
 * Certificates, and runs that were counted against a code of this registrar, are recorded one by one: the counts bound them, and none of them
 * hides behind a flood of the others, which are recorded at a bounded rate.
 */
export function recorder(parts: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Log;
  readonly record: (record: AuditRecord) => void;
}): (outcome: EnrolmentOutcome, remoteAddress: string) => void {
  const { record, log } = parts;
  let outcome: EnrolmentOutcome | undefined;
  const recordRefused = ({ reason, remoteAddress, suppressed }: RefusedConnection) =>
    record({
      event: 'enrolment-refused',
      reason,
      ...(outcome?.party === undefined ? {} : { party: outcome.party }),
      detail: { code: outcome?.code ?? '', remoteAddress, ...(suppressed === undefined ? {} : { suppressed }) },
    });
  const report = createRefusalReporter({ ...parts, onRefused: recordRefused });
  return (each, remoteAddress) => {
    const { party, code, thumbprint } = each;
    if (each.outcome !== 'issued' && each.outcome !== 'repeated') {
      outcome = each;
      const refused = { reason: `enrolment: ${each.outcome}`, remoteAddress };
      if (party === undefined || UNCOUNTED.has(each.outcome)) {
        report(refused);
        return;
      }
      log.warn('enrolment refused', { ...refused, code, party });
      recordRefused(refused);
      return;
    }
    log.info('enrolment', { outcome: each.outcome, code, party: party ?? '' });
    record({
      event: each.outcome === 'issued' ? 'certificate-issued' : 'certificate-sent-again',
      ...(party === undefined ? {} : { party }),
      detail: { code, remoteAddress, ...(thumbprint === undefined ? {} : { certificate: thumbprint }) },
    });
  };
}
