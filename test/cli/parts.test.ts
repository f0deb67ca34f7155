// Exit codes, addresses, refusals from afar and tables: the small decisions of the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { asLocalError, endpointOf } from '#cli/terminal/connect.ts';
import { EXIT, exitCodeOfError, exitCodeOfVerdict } from '#cli/terminal/exit-codes.ts';
import { table } from '#cli/terminal/output.ts';

test('exit codes are what scripts were told', () => {
  assert.deepEqual(EXIT, { ok: 0, findings: 1, usage: 2, incomplete: 3, denied: 4, signature: 5 });
  assert.deepEqual(
    [exitCodeOfVerdict('healthy'), exitCodeOfVerdict('fault'), exitCodeOfVerdict('inconclusive')],
    [0, 1, 3],
  );
});

test('an error ends with the code of whose fault it was', () => {
  const codes: readonly ParleyError['code'][] = [
    'caller/unknown-intent',
    'caller/no-path',
    'peer/refused',
    'peer/timeout',
    'peer/wrong-identity',
    'node/helper',
    'us/unexpected',
  ];
  assert.deepEqual(
    codes.map((code) => exitCodeOfError(new ParleyError(code, 'x'))),
    [2, 2, 4, 3, 3, 3, 3],
  );
  assert.equal(exitCodeOfError(new TypeError('x')), 3);
  const refused = (reason: string) =>
    exitCodeOfError(new ParleyError('peer/enrolment-refused', 'x', { data: { reason } }));
  // The unit that enrols a node tries again after 3, and not after 4.
  assert.deepEqual(['used', 'wrong-code', 'locked', 'too-often'].map(refused), [4, 4, 3, 3]);
});

test('reads addresses with and without a port', () => {
  assert.deepEqual(endpointOf('192.0.2.1'), { address: '192.0.2.1', port: 9514 });
  assert.deepEqual(endpointOf('192.0.2.1:443'), { address: '192.0.2.1', port: 443 });
  assert.deepEqual(endpointOf('2001:db8::1'), { address: '2001:db8::1', port: 9514 });
  assert.deepEqual(endpointOf('[2001:db8::1]'), { address: '2001:db8::1', port: 9514 });
  assert.deepEqual(endpointOf('[2001:db8::1]:443'), { address: '2001:db8::1', port: 443 });
  assert.deepEqual(endpointOf('pe1.example.net:9514'), { address: 'pe1.example.net', port: 9514 });
  for (const text of ['', '192.0.2.1:0', '192.0.2.1:65536', '[::1]:0', '127.0.0.1:0x10', '[::1', '[pe1]:9514', ':9514'])
    assert.throws(
      () => endpointOf(text),
      (error: ParleyError) => error.code === 'caller/bad-endpoint',
      text,
    );
});

test('a refusal by the agent is the error that it was there; another stays a denial', () => {
  const data = {
    errorCode: 'caller/unknown-node',
    detail: 'expected nodes, got pe9',
    known: ['pe1'],
    retryPossible: false,
  };
  const local = asLocalError(new ParleyError('peer/refused', 'x', { data: { code: -32602, reason: 'x', data } }));
  assert.ok(local instanceof ParleyError);
  assert.deepEqual(
    [local.code, local.message, local.data],
    ['caller/unknown-node', 'expected nodes, got pe9', { known: ['pe1'], retryPossible: false }],
  );
  assert.equal(exitCodeOfError(local), 2);
  const denied = new ParleyError('peer/refused', 'no', {
    data: { code: -32083, reason: 'no', data: { detail: 'no' } },
  });
  assert.equal(asLocalError(denied), denied);
  assert.equal(exitCodeOfError(asLocalError(denied)), 4);
});

test('a code from afar that is none of ours is a denial, not a code', () => {
  const data = { errorCode: 'rm -rf', detail: 'x' };
  const error = new ParleyError('peer/refused', 'x', { data: { code: -1, reason: 'x', data } });
  assert.equal(asLocalError(error), error);
});

test('tables are aligned and end without blanks', () => {
  assert.equal(
    table(
      ['node', 'state'],
      [
        ['pe1', 'verified'],
        ['p2', ''],
      ],
    ),
    'node  state\npe1   verified\np2',
  );
});
