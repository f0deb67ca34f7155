// `parley tech-support [--node N] --out FILE`: has a node collect its tech-support file and fetches it over HTTP/2. Keeps it only if size
// and SHA-256 match the answer (TS-26).
import { open, rename, rm } from 'node:fs/promises';
import { fetchFile } from '#mcp/client/fetch-file.ts';
import { type AgentOptions, asLocalError, openStream, withClient } from '../terminal/connect.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';

export async function techSupportCommand(options: AgentOptions & { readonly out: string }): Promise<number> {
  const output = createOutput(options.json ?? false);
  const made = await withClient(options, (client) =>
    client.callTool('network.tech-support', {}, { onProgress: () => {} }).catch((error) => {
      throw asLocalError(error);
    }),
  );
  const file = { path: String(made['path']), bytes: Number(made['bytes']), sha256: String(made['sha256']) };
  const temporary = `${options.out}.${process.pid}.part`;
  try {
    const target = await open(temporary, 'wx', 0o600);
    try {
      // Writes the whole piece, even if the disk takes it in parts.
      await fetchFile(
        file,
        () => openStream(options, 'h2'),
        (piece) => target.writeFile(piece),
      );
    } finally {
      await target.close();
    }
    await rename(temporary, options.out);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  output.result({ file: options.out, bytes: file.bytes, sha256: file.sha256 });
  output.line(`written to ${options.out}: ${file.bytes} bytes, SHA-256 ${file.sha256}`);
  return EXIT.ok;
}
