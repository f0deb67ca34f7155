// A configuration text as the files that FRR's programs want, in a folder of our own (mode 0700). Those who look at one text share
// the folder, so they come one after the other: a program never reads what another call has written.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInTurn } from '#base/in-turn.ts';

/** Runs `work` with the text's file; the folder holds this text, and nothing else, until it has ended. */
export type WithStaged = <Value>(text: string, work: (file: string) => Promise<Value>) => Promise<Value>;

export function createStaging(confdir: string): WithStaged {
  const inTurn = createInTurn();
  return (text, work) => inTurn(async () => work(await stage(confdir, text)));
}

async function stage(confdir: string, text: string): Promise<string> {
  await rm(confdir, { recursive: true, force: true });
  await mkdir(confdir, { recursive: true, mode: 0o700 });
  await writeFile(join(confdir, 'vtysh.conf'), 'service integrated-vtysh-config\n', { mode: 0o600 });
  const file = join(confdir, 'frr.conf');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
