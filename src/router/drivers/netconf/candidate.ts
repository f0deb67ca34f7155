// The device's candidate in one party's hands: locked on the device, begun as what runs, edited by path, all edits of a call or none
// (RFC 6241 §8.3). The device discards it when our session ends, and so do we.

import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { hasPath } from '#codec/yang/edit.ts';
import type { YangSchema } from '#codec/yang/schema.ts';
import { WIRE_CODES } from '#model/definition.ts';
import type { YangEdit } from '#model/router/configuration.ts';
import { parsePath } from '#model/router/yang-path.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import { editOf } from './data.ts';
import type { NetconfDevice, NetconfLink } from './link.ts';
import { CAPABILITIES, hasCapability } from './operations.ts';
import { hasTag } from './refusals.ts';
import { formatXml, type XmlElement } from './xml.ts';

export type HeldCandidate = {
  readonly holder: string;
  readonly device: NetconfDevice;
  /** What ran when it was opened. */
  readonly running: XmlElement;
  /** Edits so far, in order. */
  readonly edits: readonly string[];
  readonly touchedMs: number;
};

export class CandidateHolding {
  readonly #link: NetconfLink;
  readonly #clock: Clock;
  #held: HeldCandidate | undefined;
  #locked: NetconfDevice | undefined;

  constructor(link: NetconfLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** A session of this process edits it. */
  get isHeld(): boolean {
    return this.#held !== undefined && !this.#held.device.session.closed;
  }

  /** Opens a candidate, or goes on with one's own. Rejects with `caller/candidate-held`. */
  async open(holder: string): Promise<HeldCandidate> {
    const own = this.#ownOf(holder);
    if (own !== undefined) return own;
    const device = await this.#link.use();
    demandConfirmedCommit(device);
    await this.#lock(device);
    await device.operations.discardChanges();
    const running = await device.operations.getConfig('running');
    this.#held = { holder, device, running, edits: [], touchedMs: this.#clock.monotonicMs() };
    return this.#held;
  }

  /** One's own. Throws `caller/no-candidate` or `caller/candidate-held`. */
  of(holder: string): HeldCandidate {
    const own = this.#ownOf(holder);
    if (own !== undefined) return own;
    const message =
      'expected an edited candidate, there is none: it was never begun, or the session with the device was lost';
    throw new ParleyError('caller/no-candidate', message);
  }

  /** All of the edits, or none. */
  async edit(holder: string, edits: readonly string[]): Promise<HeldCandidate> {
    const own = this.of(holder);
    try {
      for (const edit of edits) await own.device.operations.editConfig('candidate', edit, optionsOf(own.device));
    } catch (error) {
      await rebuild(own);
      throw error;
    }
    this.#held = { ...own, edits: [...own.edits, ...edits], touchedMs: this.#clock.monotonicMs() };
    return this.#held;
  }

  /** What the device finds wrong with it. */
  async validate(holder: string): Promise<string | undefined> {
    const own = this.of(holder);
    if (!hasCapability(own.device.session.capabilities, CAPABILITIES.validate)) return undefined;
    try {
      await own.device.operations.validate('candidate');
      // netconfd 2.13 commits nothing after a validate, and says ok: a candidate that was built anew is committed.
      await rebuild(own);
      return undefined;
    } catch (error) {
      if (error instanceof ParleyError && error.code === 'node/netconf-refused') return error.message;
      throw error;
    }
  }

  async discard(holder: string): Promise<void> {
    const own = this.#ownOf(holder);
    this.#held = undefined;
    if (own === undefined) return;
    await own.device.operations.discardChanges();
    await this.unlock();
  }

  /** It was committed: no session holds it any more, its lock stays until `unlock`. */
  hand(holder: string): void {
    this.of(holder);
    this.#held = undefined;
  }

  async unlock(): Promise<void> {
    const device = this.#locked;
    this.#locked = undefined;
    if (device !== undefined && !device.session.closed) await device.operations.unlock('candidate');
  }

  #ownOf(holder: string): HeldCandidate | undefined {
    if (this.#held?.device.session.closed) this.#held = undefined;
    const held = this.#held;
    if (held === undefined || held.holder === holder) return held;
    if (this.#clock.monotonicMs() - held.touchedMs <= ROUTER_LIMITS.candidateIdleMs)
      throw new ParleyError('caller/candidate-held', `expected a free candidate, it is held by ${held.holder}`);
    this.#held = undefined;
    return undefined;
  }

  async #lock(device: NetconfDevice): Promise<void> {
    if (this.#locked?.session === device.session) return;
    try {
      await device.operations.lock('candidate');
    } catch (error) {
      if (!hasTag(error, 'lock-denied', 'in-use', 'resource-denied')) throw error;
      const message = 'expected a free candidate, another session of the device holds it';
      const data = { wireCode: WIRE_CODES.configIncompatible, retryPossible: true };
      throw new ParleyError('caller/candidate-held', message, { data, cause: error });
    }
    this.#locked = device;
  }
}

/** From what runs, edit by edit. */
async function rebuild({ device, edits }: HeldCandidate): Promise<void> {
  await device.operations.discardChanges();
  for (const edit of edits) await device.operations.editConfig('candidate', edit, optionsOf(device));
}

/** `caller/bad-config` with the path, for what this device's schema does not have. */
export function editXml(schema: YangSchema, { path, operation, value }: YangEdit): string {
  const steps = parsePath(path);
  const made = steps.ok ? editOf(schema, steps.value, operation, value) : steps;
  if (made.ok) return made.value;
  throw new ParleyError('caller/bad-config', made.reason, {
    data: {
      wireCode:
        steps.ok && !hasPath(schema.roots, steps.value) ? WIRE_CODES.configIncompatible : WIRE_CODES.yangSyntaxError,
      path: path.slice(0, 200),
      retryPossible: false,
    },
  });
}

/** Two configurations are the same when they hold the same elements in the same places; the order of siblings does not matter. */
export function canonicalText(data: XmlElement): string {
  const sorted = (element: XmlElement): XmlElement => {
    const children = element.children
      .map(sorted)
      .toSorted((one, other) => (formatXml(one) < formatXml(other) ? -1 : 1));
    return {
      ...element,
      attributes: { xmlns: element.namespace },
      children,
      text: children.length > 0 ? '' : element.text,
    };
  };
  return sorted(data).children.map(formatXml).join('');
}

function optionsOf({ session }: NetconfDevice) {
  return { rollbackOnError: hasCapability(session.capabilities, CAPABILITIES.rollbackOnError) };
}

function demandConfirmedCommit({ session }: NetconfDevice): void {
  const needed = [CAPABILITIES.candidate, CAPABILITIES.confirmedCommit];
  if (needed.every((spellings) => hasCapability(session.capabilities, spellings))) return;
  throw new ParleyError(
    'node/not-supported',
    'expected a device with a candidate and commits that undo themselves, this one has none',
    {
      data: { wireCode: WIRE_CODES.rollbackNotSupported, retryPossible: false },
    },
  );
}
