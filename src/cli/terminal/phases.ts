// Progress of a question as a person reads it: one line for a phase. On a terminal it is one line that is replaced and taken away at the end;
// elsewhere each phase is a line of its own.
import { coloured, type Terminal } from './layout.ts';

export type Phases = {
  /** Steps of one phase are told once. */
  tell(step: string): void;
  end(): void;
};

const PHASES: Readonly<Record<string, string>> = {
  intent: 'reading the question',
  peers: 'finding the nodes',
  session: 'finding the nodes',
  'fan-out': 'measuring',
  signatures: 'measuring',
  evidence: 'comparing what the nodes say',
  finding: 'comparing what the nodes say',
  report: 'sealing the report',
};

export function createPhases(stream: { write(text: string): unknown }, terminal: Terminal): Phases {
  let last: string | undefined;
  const seen = new Set<string>();
  return {
    tell(step) {
      const phase = PHASES[step] ?? step;
      if (phase === last || seen.has(phase)) return;
      [last] = [phase, seen.add(phase)];
      const text = `· ${phase}`;
      stream.write(terminal.isTty ? `\r\x1b[2K${coloured({ text: `${text} …`, tone: 'dim' }, terminal)}` : `${text}\n`);
    },
    end() {
      if (terminal.isTty && last !== undefined) stream.write('\r\x1b[2K');
      last = undefined;
    },
  };
}
