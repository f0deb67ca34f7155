// Reads the configuration of `parley aggregate`: the file and its defaults. All problems at once, each with its path; frozen after load.
import { ParleyError } from '#base/error.ts';
import { type AggregateConfig, aggregateSchema } from './aggregate-schema.ts';
import { deepFreeze, describeIssues, readFileTree } from './load.ts';

/** Throws `caller/config-missing` or `caller/config-invalid` with one line for each problem. */
export async function loadAggregateConfig(file: string): Promise<AggregateConfig> {
  const tree = await readFileTree(file);
  if (tree === undefined)
    throw new ParleyError(
      'caller/config-missing',
      `cannot read ${file}: give --config FILE; docs/operations/aggregating.md has examples`,
      { data: { file } },
    );
  const parsed = aggregateSchema.safeParse(tree);
  if (!parsed.success)
    throw new ParleyError('caller/config-invalid', `${file}: ${describeIssues(parsed.error)}`, { data: { file } });
  const twice = parsed.data.leaves
    .map(({ segment }) => segment)
    .find((segment, index, all) => all.indexOf(segment) !== index);
  if (twice !== undefined)
    throw new ParleyError('caller/config-invalid', `${file}: leaves: expected one leaf named ${twice}, got two`, {
      data: { file },
    });
  return deepFreeze(parsed.data);
}
