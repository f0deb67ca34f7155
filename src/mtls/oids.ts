// Object identifiers of Parley's certificates. Ours lives under 2.25, the arc of UUIDs, which needs no registration
// (ITU-T X.667): 2.25.<the UUID as one integer>.

/**
 * Certificate extension that binds a party's Ed25519 signing key to its certificate (TS-24).
 * Value: a DER OCTET STRING of the 32 raw key bytes (RFC 8032 §5.1.5). Not critical, exactly once.
 *
 * The UUID is 00000000-0000-0000-0000-00004240944c: one that fits in 31 bits. With a wider arc Go's crypto/x509 cannot
 * read the certificate at all, and node-forge cannot write it (docs/decisions/0003-identity.md).
 */
export const SIGNING_KEY_OID = '2.25.1111528524.1';

/**
 * Certificate extension that names an operator's role [NET-16]. Value: a DER UTF8String, `observer`, `operator` or `admin`.
 * Not critical, at most once, and in operators' certificates only.
 */
export const ROLE_OID = '2.25.1111528524.2';

/**
 * Certificate extension of a registrar's intermediate CA: what it may certify besides nodes (TS-24). Value: a DER SEQUENCE of UTF8Strings,
 * `operator` or `controller`. Not critical, at most once; without it an intermediate certifies nodes alone.
 */
export const ISSUES_OID = '2.25.1111528524.3';

/**
 * Certificate extension of a renewed certificate: when its party last proved itself by more than the certificate before (TS-24). Value: a DER
 * UTF8String, RFC 3339 in UTC. Not critical, at most once; copied at each renewal. Without it a certificate was issued at that time.
 */
export const ENROLLED_OID = '2.25.1111528524.4';

/**
 * Certificate extension that holds the intermediate CA which issued it (TS-24). Value: a DER OCTET STRING of that certificate's DER. Not critical,
 * at most once, in certificates of registrars alone. Node 24.21 does not show a listener the intermediates that a client sent
 * (nodejs/node issue 65579): without them neither what a registrar may certify nor its revocation can be judged.
 */
export const ISSUER_OID = '2.25.1111528524.5';

/** ecdsa-with-SHA256, RFC 5758 §3.2; its AlgorithmIdentifier has no parameters. */
export const ECDSA_WITH_SHA256_OID = '1.2.840.10045.4.3.2';

/** Extended key usages of RFC 5280 §4.2.1.12; a party is both, on whichever side it dials. */
export const SERVER_AUTH_OID = '1.3.6.1.5.5.7.3.1';
export const CLIENT_AUTH_OID = '1.3.6.1.5.5.7.3.2';
