// Names of configuration lines: access rules by path hold for a line only if it has a name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parsePath } from '#model/router/yang-path.ts';
import { namesOfLine } from '#network/configuration/config-paths.ts';
import { matchStatement } from '#router/config/statements.ts';

const CONTEXT = 'interface eth1';
const VALUES = ['7', '198.18.0.1/24', 'fd00::1/64', 'level-1', 'md5 word'];

test('every statement that may be set below an interface has a name', () => {
  const source = readFileSync(new URL('../../../src/router/config/statements.ts', import.meta.url), 'utf8');
  const own = /^const INTERFACE: .*?^\];/ms.exec(source)![0];
  const words = [...own.matchAll(/words: '([^']+)'/g)].map(([, each]) => each!);
  assert.ok(words.length > 10);
  for (const each of words) {
    const line = [each, ...VALUES.map((value) => `${each} ${value}`)].find((one) => matchStatement(CONTEXT, one).ok);
    assert.ok(line !== undefined, `no value here is one of ${each}`);
    assert.notDeepEqual(namesOfLine(CONTEXT, line), [], line);
  }
});

const stepsOf = (path: string) => {
  const parsed = parsePath(path);
  assert.ok(parsed.ok, path);
  return parsed.value;
};

test('statements of OSPFv2 and OSPFv3 have names of their own', () => {
  const names = (line: string, path: string, value: unknown) =>
    assert.deepEqual(namesOfLine(CONTEXT, line), [{ steps: stepsOf(path), value }]);
  names('ip ospf hello-interval 1', "/frr-ospfd:ospfd/interface[name='eth1']/hello-interval", 1);
  names('ipv6 ospf6 hello-interval 1', "/frr-ospf6d:ospf6d/interface[name='eth1']/hello-interval", 1);
  names('ipv6 ospf6 passive', "/frr-ospf6d:ospf6d/interface[name='eth1']/passive", true);
});
