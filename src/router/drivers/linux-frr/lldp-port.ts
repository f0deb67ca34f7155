// LldpPort over the privileged helper: our TLV in the running lldpd, set, re-read and removed by OUI and subtype, and the
// neighbours that it hears.
import { ParleyError } from '#base/error.ts';
import type { LldpPort } from '#model/router/router-port.ts';
import { ROUTER_LIMITS } from '../../limits.ts';
import type { ReadOperations } from '../../protocol/read-operations.ts';
import { createReadHelper, type ReadHelper } from '../../protocol/typed-operations.ts';
import { parseLocalTlvs, parseNeighbours } from './lldp-neighbours.ts';

/** First and longest wait before a watch that broke is begun again. */
const RETRY_MS = { first: 500, longest: 10_000 } as const;

export function createLldpPort(init: { readonly helperSocket: string }): LldpPort {
  const helper = createReadHelper(init.helperSocket);
  const held = new Map<string, AbortController>();
  const release = (key: string) => held.get(key)?.abort();
  return {
    async announce(oui, subtype, information) {
      const hex = Buffer.from(information).toString('hex');
      const next = await hold(helper, { oui, subtype, information: hex });
      release(`${oui}/${subtype}`);
      held.set(`${oui}/${subtype}`, next);
      await confirmSent(helper, oui, subtype, hex);
    },
    async withdraw(oui, subtype) {
      await helper.call('lldp-withdraw', { oui, subtype });
      release(`${oui}/${subtype}`);
      held.delete(`${oui}/${subtype}`);
    },
    async neighbours(signal) {
      const parsed = parseNeighbours(await helper.call('lldp-neighbours', {}, { signal }));
      if (parsed.ok) return parsed.value;
      throw new ParleyError('node/lldp-unavailable', parsed.reason);
    },
    watch: (changed) => watch(helper, changed),
  };
}

/** The helper announces while the connection lasts: an agent that is killed is announced no longer (TS-22). */
function hold(helper: ReadHelper, tlv: ReadOperations['lldp-announce']['request']): Promise<AbortController> {
  const held = new AbortController();
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new ParleyError('node/timeout', 'expected the helper to announce, got nothing in time'));
      held.abort();
    }, ROUTER_LIMITS.helperReadMs + 1_000);
    const onEvent = () => {
      clearTimeout(late);
      resolve(held);
    };
    helper
      .call('lldp-announce', tlv, { signal: held.signal, timeoutMs: Number.POSITIVE_INFINITY, onEvent })
      .catch(reject)
      .finally(() => clearTimeout(late));
  });
}

/** lldpd takes a value that it then cannot send (too long, no port) without an error: only re-reading tells. */
async function confirmSent(helper: ReadHelper, oui: string, subtype: number, hex: string): Promise<void> {
  const ports = parseLocalTlvs(await helper.call('lldp-local', {}));
  if (!ports.ok) throw new ParleyError('node/lldp-unavailable', ports.reason);
  const silent = ports.value.filter(
    ({ tlvs }) => !tlvs.some((tlv) => tlv.oui === oui && tlv.subtype === subtype && tlv.hex === hex),
  );
  if (ports.value.length > 0 && silent.length === 0) return;
  const came = ports.value.length === 0 ? 'no port at all' : `none on ${silent.map(({ ifname }) => ifname).join(', ')}`;
  throw new ParleyError('node/lldp-not-announced', `expected lldpd to show our TLV on every port, got ${came}`);
}

/** A watch that ends (lldpd or the helper restarted) is begun again, and counts as a change: something may have been missed. */
async function watch(helper: ReadHelper, changed: () => void): Promise<() => void> {
  const stopped = new AbortController();
  let waitMs: number = RETRY_MS.first;
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    helper
      .call('lldp-watch', {}, { signal: stopped.signal, timeoutMs: Number.POSITIVE_INFINITY, onEvent })
      .catch(() => {})
      .finally(again);
  };
  const onEvent = () => {
    waitMs = RETRY_MS.first;
    changed();
  };
  const again = () => {
    if (stopped.signal.aborted) return;
    timer = setTimeout(() => {
      changed();
      begin();
    }, waitMs);
    timer.unref();
    waitMs = Math.min(waitMs * 2, RETRY_MS.longest);
  };
  begin();
  return () => {
    clearTimeout(timer);
    stopped.abort();
  };
}
