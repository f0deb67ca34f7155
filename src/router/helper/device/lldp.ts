// The running lldpd through its control program. Only one TLV, named by OUI and subtype, is ever set or removed:
// `unconfigure lldp custom-tlv` without them would remove the operator's own.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import { LIMITS } from '#base/limits.ts';
import { HELPER_LIMITS } from '../limits.ts';
import { readProgram } from '../programs.ts';

export type LldpTlv = { readonly oui: string; readonly subtype: number };

/** Locally administered OUIs only: no TLV that IEEE or a vendor has given a meaning to can be forged through this helper. */
export function isOwnOui(oui: string): boolean {
  return (Number.parseInt(oui.slice(0, 2), 16) & 0x02) !== 0;
}

/** Rejects with `node/lldp-absent` where no lldpd was started: it removes its socket when it ends. */
async function readNeighbours(socket: string, signal: AbortSignal): Promise<string> {
  if (!existsSync(socket)) throw new ParleyError('node/lldp-absent', 'expected lldpd to run, got no socket of it');
  return readProgram('lldpcli', ['-u', socket, '-f', 'json0', 'show', 'neighbors', 'details'], signal);
}

/** Our own TLVs, as the daemon sends them on each port. */
export function readLocalPorts(socket: string, signal: AbortSignal): Promise<string> {
  return readProgram('lldpcli', ['-u', socket, '-f', 'json0', 'show', 'interfaces', 'details'], signal);
}

/** `replace` keeps every other TLV as it is. */
export async function announceTlv(
  socket: string,
  tlv: LldpTlv,
  informationHex: string,
  signal: AbortSignal,
): Promise<void> {
  const value = ['oui-info', octetList(informationHex)];
  await readProgram(
    'lldpcli',
    ['-u', socket, 'configure', 'lldp', 'custom-tlv', 'replace', ...tlvArguments(tlv), ...value],
    signal,
  );
}

export async function withdrawTlv(socket: string, tlv: LldpTlv, signal: AbortSignal): Promise<void> {
  await readProgram('lldpcli', ['-u', socket, 'unconfigure', 'lldp', 'custom-tlv', ...tlvArguments(tlv)], signal);
}

/**
 * Calls back whenever the daemon reports a change, until the signal aborts; rejects when the daemon goes away.
 * The child dies with this process: `setpriv --pdeathsig` also covers SIGKILL (TS-22).
 */
function watchNeighbours(socket: string, changed: () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'lldpcli', '-u', socket, '-f', 'json0', 'watch'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const stop = () => child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    child.stdout.on('data', changed);
    child.on('error', () => {});
    child.on('close', (exitCode) => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) resolve();
      else
        reject(
          new ParleyError('node/lldp-unavailable', `expected lldpcli to keep watching, got its end with ${exitCode}`),
        );
    });
  });
}

export type NeighbourReader = {
  /** Neighbours as lldpcli prints them: from memory while a watch would have told of a change. */
  read(signal: AbortSignal): Promise<string>;
  watch(changed: () => void, signal: AbortSignal): Promise<void>;
};

export type NeighbourSource = {
  read(signal: AbortSignal): Promise<string>;
  watch(changed: () => void, signal: AbortSignal): Promise<void>;
};

export function neighbourSource(socket: string): NeighbourSource {
  return {
    read: (signal) => readNeighbours(socket, signal),
    watch: (changed, signal) => watchNeighbours(socket, changed, signal),
  };
}

/**
 * Starting lldpcli costs more than all else of a state read; what a running watch has not called changed is still true. A watch
 * says nothing when it has subscribed, so it is believed only some time after it began, and memory is never old.
 */
export function createNeighbourReader(source: NeighbourSource, clock: Pick<Clock, 'monotonicMs'>): NeighbourReader {
  const watchesSinceMs = new Set<{ readonly atMs: number }>();
  let known: { readonly text: string; readonly atMs: number } | undefined;
  let changes = 0;
  const forget = () => {
    known = undefined;
    changes++;
  };
  const isWatched = (atMs: number) =>
    [...watchesSinceMs].some((since) => atMs >= since.atMs + HELPER_LIMITS.lldpSettleMs);
  return {
    async read(signal) {
      const startedMs = clock.monotonicMs();
      if (known !== undefined && startedMs - known.atMs < HELPER_LIMITS.lldpMemoryMs) return known.text;
      const before = changes;
      const text = await source.read(signal);
      known = isWatched(startedMs) && before === changes ? { text, atMs: startedMs } : undefined;
      return text;
    },
    async watch(changed, signal) {
      const since = { atMs: clock.monotonicMs() };
      watchesSinceMs.add(since);
      try {
        const told = () => {
          forget();
          changed();
        };
        await source.watch(told, signal);
      } finally {
        watchesSinceMs.delete(since);
        forget();
      }
    },
  };
}

function tlvArguments(tlv: LldpTlv): readonly string[] {
  return ['oui', octetList(tlv.oui), 'subtype', String(tlv.subtype)];
}

/** `02504c` as lldpcli spells it: `02,50,4c`. */
function octetList(hex: string): string {
  if (hex.length / 2 > LIMITS.lldpInfoBytes)
    throw new ParleyError(
      'caller/bad-argument',
      `expected at most ${LIMITS.lldpInfoBytes} bytes, got ${hex.length / 2}`,
    );
  return (hex.match(/../g) ?? []).join(',');
}
