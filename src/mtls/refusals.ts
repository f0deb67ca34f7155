// Turns what TLS and TCP report about a failed connection into a reason that says what happened, for the log and the
// audit trail (listening side) and as a ParleyError (dialling side). Pure.
import { messageOf, ParleyError } from '#base/error.ts';

type NodeError = Error & { readonly code?: string };

/** Codes of OpenSSL's chain verification as node:tls gives them, in words. */
const CHAIN_FAULTS: Readonly<Record<string, string>> = {
  UNABLE_TO_GET_ISSUER_CERT: "certificate is not from this domain's CA",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate is not from this domain's CA",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate is not from this domain's CA",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate is not from this domain's CA",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate is signed by itself, not by this domain's CA",
  CERT_SIGNATURE_FAILURE: 'certificate has a signature that does not verify',
  CERT_NOT_YET_VALID: 'certificate is not valid yet',
  CERT_HAS_EXPIRED: 'certificate has expired',
  CERT_CHAIN_TOO_LONG: 'certificate chain is too long',
  INVALID_CA: 'certificate was issued by one that is no CA',
  PATH_LENGTH_EXCEEDED: 'certificate chain is longer than its CA allows',
  INVALID_PURPOSE: 'certificate is not meant for mutual TLS',
  CERT_UNTRUSTED: 'certificate is not trusted',
  CERT_REJECTED: 'certificate was rejected',
};

/** Codes of handshakes that failed before there was a certificate to judge. */
const HANDSHAKE_FAULTS: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'plain text on a TLS port',
  ERR_SSL_WRONG_VERSION_NUMBER: 'plain text on a TLS port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'plain text on a TLS port',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'TLS version below 1.3',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'no client certificate',
  ERR_SSL_NO_APPLICATION_PROTOCOL: 'no common ALPN protocol',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'TLS handshake took too long',
  ECONNRESET: 'connection closed before the TLS handshake ended',
};

/**
 * Why a handshake failed on the listening side. `authorizationError` is the socket's own: node:tls hangs up on a
 * certificate that does not verify and then reports a mere ECONNRESET.
 */
export function handshakeRefusal(error: unknown, authorizationError: unknown): string {
  const chainFault = codeOf(authorizationError);
  if (chainFault !== undefined) return CHAIN_FAULTS[chainFault] ?? `certificate does not verify: ${chainFault}`;
  const code = codeOf(error);
  const known = code === undefined ? undefined : (HANDSHAKE_FAULTS[code] ?? CHAIN_FAULTS[code]);
  return known ?? `TLS handshake failed: ${code ?? messageOf(error)}`;
}

/** The error of a dial to `address`, by whose fault it is. */
export function dialError(error: unknown, address: string): ParleyError {
  if (error instanceof ParleyError) return error;
  const code = codeOf(error) ?? '';
  const data = { address };
  const chainFault = CHAIN_FAULTS[code];
  if (chainFault !== undefined) {
    return new ParleyError('peer/untrusted-certificate', `peer at ${address}: ${chainFault}`, { data, cause: error });
  }
  if (/ALERT_(.*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR)/.test(code))
    return refusedCertificate(address, error);
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    const reason = /WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST/.test(code)
      ? 'answers in plain text'
      : `handshake failed with ${code}`;
    return new ParleyError('peer/protocol', `expected TLS 1.3 from ${address}, it ${reason}`, { data, cause: error });
  }
  return new ParleyError('peer/unreachable', `no session with ${address}: ${code || messageOf(error)}`, {
    data,
    cause: error,
  });
}

/** The error of a connection to a syslog collector, which is of another CA than the domain's. `name`: what its certificate must carry. */
export function collectorError(error: unknown, at: string, name: string): ParleyError {
  if (error instanceof ParleyError) return error;
  const code = codeOf(error) ?? '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const message = `${at}: its certificate is not for ${name}: ${messageOf(error)}`;
    return new ParleyError('peer/untrusted-certificate', message, { cause: error });
  }
  const chainFault = CHAIN_FAULTS[code]?.replace("this domain's CA", 'the configured CA');
  if (chainFault !== undefined)
    return new ParleyError('peer/untrusted-certificate', `${at}: its ${chainFault}`, { cause: error });
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    const message = `expected TLS from ${at}, the handshake failed with ${code}`;
    return new ParleyError('peer/protocol', message, { cause: error });
  }
  return new ParleyError('peer/unreachable', `no connection to ${at}: ${code || messageOf(error)}`, { cause: error });
}

/**
 * For a session that ends before the peer's first byte. In TLS 1.3 the dialling side believes the handshake done
 * before the peer has judged its certificate, so this is how a refused certificate looks from here.
 */
export function refusedCertificate(address: string, cause?: unknown): ParleyError {
  return new ParleyError(
    'peer/refused-certificate',
    `peer at ${address} hung up before its first byte: it probably does not accept this node's certificate`,
    { data: { address }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** node:tls gives some verification results as a bare code and some as an error that carries one. */
function codeOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error === '' ? undefined : error;
  const code = (error as NodeError | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
