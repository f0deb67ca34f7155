// docs/faults.md says what the rules say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RULES } from '#correlate/rules/registry.ts';
import { renderFaults } from '../../scripts/faults-table.ts';
import { ROOT } from '../../scripts/source-files.ts';

test('docs/faults.md is what the rules say', () => {
  assert.equal(readFileSync(join(ROOT, 'docs/faults.md'), 'utf8'), renderFaults());
});

test('the faults that findings may name are these', () => {
  assert.deepEqual(
    RULES.filter((rule) => rule.accuses).map((rule) => [rule.fault, rule.resourceForm, rule.nika, rule.netOpsBench]),
    [
      ['packet_loss', 'interface', 'silent_egress_packet_loss', 'packet_loss'],
      ['acl_misconfig', 'node', null, 'acl_misconfig'],
    ],
  );
});
