// What the demo needs of a network, real or embedded.
import type { Act } from './acts.ts';
import type { TlsSummary } from './tls-capture.ts';

export type Stage = {
  readonly kind: 'namespaces' | 'embedded';
  /** One line for people: what this network is made of. */
  readonly description: string;
  /** The network namespaces that were made for it, of nodes and of cables; none is left after `down()`. */
  readonly namespaces: readonly string[];
  /** Puts the act's fault in; resolves with the way to take it out, which says what is left (nothing, if all is well). */
  inject(act: Act): Promise<() => Promise<readonly string[]>>;
  /** The command line of `parley ask --json --progress` for this act, saving the report to `file`. */
  askCommand(act: Act, intent: string, file: string): readonly string[];
  /** Brings the report that was saved on the asked node to `file` of this machine. */
  fetchReport(act: Act, file: string): Promise<void>;
  readonly reportFolder: string;
  readonly caFile: string;
  /** Handshakes on port 9514 since the start; undefined where nothing could be captured. */
  tls(): Promise<TlsSummary | undefined>;
  down(): Promise<void>;
};
