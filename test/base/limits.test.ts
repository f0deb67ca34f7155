// The names of all bounds: each belongs to one folder, so that a reader who finds a name in docs/limits.md finds one bound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitGroups } from '../../scripts/reference-docs.ts';
import { ROOT } from '../../scripts/source-files.ts';

test('each limit has a name of its own, and a value that is a number or a list of them', async () => {
  const groups = await limitGroups(ROOT);
  assert.ok(groups.length > 5);
  const names = groups.flatMap(({ limits }) => Object.keys(limits));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  for (const { path, limits } of groups)
    for (const [name, value] of Object.entries(limits))
      assert.ok(
        [value].flat().every((each) => Number.isFinite(each)),
        `${path}: ${name}`,
      );
});
