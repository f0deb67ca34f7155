// What TLS and TCP say about a failed connection, in words and by whose fault it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParleyError } from '#base/error.ts';
import { dialError, handshakeRefusal, refusedCertificate } from '#mtls/refusals.ts';

const coded = (code: string) => Object.assign(new Error(`message of ${code}`), { code });

test('a chain that does not verify is told before what happened to the socket', () => {
  assert.equal(handshakeRefusal(coded('ECONNRESET'), coded('CERT_HAS_EXPIRED')), 'certificate has expired');
  assert.equal(handshakeRefusal(coded('ECONNRESET'), 'CERT_NOT_YET_VALID'), 'certificate is not valid yet');
  assert.equal(handshakeRefusal(coded('ECONNRESET'), 'CRL_UNKNOWN'), 'certificate does not verify: CRL_UNKNOWN');
});

test('without a certificate to judge the handshake says what happened', () => {
  for (const none of [undefined, null, '', {}, { code: 7 }]) {
    assert.equal(
      handshakeRefusal(coded('ECONNRESET'), none),
      'connection closed before the TLS handshake ended',
      String(none),
    );
  }
  assert.equal(handshakeRefusal(coded('ERR_SSL_HTTP_REQUEST'), undefined), 'plain text on a TLS port');
  assert.equal(handshakeRefusal(coded('INVALID_PURPOSE'), undefined), 'certificate is not meant for mutual TLS');
  assert.equal(handshakeRefusal(coded('ERR_SSL_ODD'), undefined), 'TLS handshake failed: ERR_SSL_ODD');
  assert.equal(handshakeRefusal(new Error('odd'), undefined), 'TLS handshake failed: odd');
});

test('a failed dial says by whose fault, at which address', () => {
  const told = (error: unknown) => {
    const { code, message, data, cause } = dialError(error, '192.0.2.1');
    assert.deepEqual([data, cause === error], [{ address: '192.0.2.1' }, true]);
    return [code, message];
  };
  assert.deepEqual(told(coded('CERT_HAS_EXPIRED')), [
    'peer/untrusted-certificate',
    'peer at 192.0.2.1: certificate has expired',
  ]);
  const refused =
    "peer at 192.0.2.1 hung up before its first byte: it probably does not accept this node's certificate";
  for (const alert of ['CERTIFICATE_EXPIRED', 'BAD_CERTIFICATE', 'UNKNOWN_CA', 'ACCESS_DENIED', 'DECRYPT_ERROR'])
    assert.deepEqual(told(coded(`ERR_SSL_TLSV1_ALERT_${alert}`)), ['peer/refused-certificate', refused], alert);
  for (const plain of ['WRONG_VERSION_NUMBER', 'PACKET_LENGTH_TOO_LONG', 'HTTP_REQUEST']) {
    const message = 'expected TLS 1.3 from 192.0.2.1, it answers in plain text';
    assert.deepEqual(told(coded(`ERR_SSL_${plain}`)), ['peer/protocol', message], plain);
  }
  for (const code of ['ERR_SSL_NO_PROTOCOLS', 'ERR_TLS_ODD']) {
    const message = `expected TLS 1.3 from 192.0.2.1, it handshake failed with ${code}`;
    assert.deepEqual(told(coded(code)), ['peer/protocol', message]);
  }
  assert.deepEqual(told(coded('ECONNREFUSED')), ['peer/unreachable', 'no session with 192.0.2.1: ECONNREFUSED']);
  assert.deepEqual(told(new Error('odd')), ['peer/unreachable', 'no session with 192.0.2.1: odd']);
});

test('an error that says all already stays as it is', () => {
  const error = new ParleyError('peer/pin-mismatch', 'pinned');
  assert.equal(dialError(error, '192.0.2.1'), error);
});

test('a refused certificate has a cause only where there is one', () => {
  assert.equal('cause' in refusedCertificate('192.0.2.1'), false);
  const cause = new Error('reset');
  assert.equal(refusedCertificate('192.0.2.1', cause).cause, cause);
});
