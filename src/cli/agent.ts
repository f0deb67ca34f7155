// `parley agent`: runs the agent until SIGTERM or SIGINT; the second signal does not wait.
import { appendFileSync } from 'node:fs';
import { createAgent } from '#agent/create-agent.ts';
import { createLog } from '#base/log.ts';
import { loadConfig } from '#config/load.ts';
import { EXIT } from './exit-codes.ts';

export async function agentCommand(options: { readonly config?: string }): Promise<number> {
  const config = await loadConfig({ file: options.config });
  const { file, level } = config.log;
  const sink =
    file === undefined
      ? (line: string) => void process.stderr.write(`${line}\n`)
      : (line: string) => appendFileSync(file, `${line}\n`);
  const log = createLog({ level, sink, now: Date.now, fields: { node: config.node } });
  const agent = await createAgent(config, log);
  await endSignal();
  await agent.stop();
  return EXIT.ok;
}

function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
