// `parley agent`: runs the agent until SIGTERM or SIGINT; the second signal does not wait.
import { appendFileSync } from 'node:fs';
import { createAgent } from '#agent/create-agent.ts';
import { messageOf } from '#base/error.ts';
import { createLog } from '#base/log.ts';
import { loadConfig } from '#config/load.ts';
import { redactText } from '#model/redaction.ts';
import { EXIT } from '../terminal/exit-codes.ts';

export async function agentCommand(options: { readonly config?: string }): Promise<number> {
  const config = await loadConfig({ file: options.config });
  const { file, level } = config.log;
  const sink =
    file === undefined
      ? (line: string) => void process.stderr.write(`${line}\n`)
      : (line: string) => appendLine(file, line);
  const log = createLog({ level, sink, now: Date.now, redact: redactText, fields: { node: config.node } });
  const agent = await createAgent(config, log);
  await endSignal();
  await agent.stop();
  return EXIT.ok;
}

/** A full disk must not end the agent: the line then goes to standard error. */
function appendLine(file: string, line: string): void {
  try {
    appendFileSync(file, `${line}\n`, { mode: 0o640 });
  } catch (error) {
    process.stderr.write(`${line}\nlog file ${file}: ${messageOf(error)}\n`);
  }
}

function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
