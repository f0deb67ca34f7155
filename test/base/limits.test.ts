// The names of all bounds: a group that is spread over another must not replace a bound of the same name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCESS_LIMITS } from '#base/access-limits.ts';
import { COMMIT_LIMITS } from '#base/commit-limits.ts';
import { LIMITS } from '#base/limits.ts';
import { NETCONF_LIMITS } from '#base/netconf-limits.ts';
import { SCOPE_LIMITS } from '#base/scope-limits.ts';

test('each limit has a name of its own: no group takes the place of another’s', () => {
  const groups = [ACCESS_LIMITS, COMMIT_LIMITS, NETCONF_LIMITS, SCOPE_LIMITS];
  const names = groups.flatMap((group) => Object.keys(group));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  for (const group of groups)
    for (const [name, value] of Object.entries(group))
      assert.deepEqual(LIMITS[name as keyof typeof LIMITS], value, name);
});
