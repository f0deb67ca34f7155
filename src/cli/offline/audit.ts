// `parley audit verify`: checks the hash chain of an audit trail (TS-31). Needs no running agent.
import { verifyAudit } from '#audit/verify.ts';
import { messageOf, ParleyError } from '#base/error.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { createOutput } from '../terminal/output.ts';

/** Exit code 0 when the chain holds, 5 when it is broken. */
export async function verifyAuditCommand(
  options: { readonly json?: boolean },
  [dir]: readonly string[],
): Promise<number> {
  const output = createOutput(options.json ?? false);
  const verified = await verifyAudit(dir!).catch((cause: unknown) => {
    throw new ParleyError('caller/unreadable-file', `cannot read ${dir}: ${messageOf(cause)}`, { cause });
  });
  output.result({ dir: dir!, ...verified });
  const broken = verified.firstBreak;
  output.line(
    broken === undefined
      ? `${dir}: ${verified.records} records, the chain holds`
      : `${dir}: BROKEN at ${JSON.stringify(broken)}`,
  );
  return broken === undefined ? EXIT.ok : EXIT.signature;
}
