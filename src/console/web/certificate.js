// Reads two things out of an agent's certificate (X.509, DER): its name `parley://<domain>/<node>` and the Ed25519 key that it
// binds (docs/decisions/0003-identity.md). Does not check who issued it: a browser does not hold the domain's CA for scripts.

/** 2.5.29.17 and 2.25.1111528524.1, their content octets. */
const ALTERNATIVE_NAMES = '551d11';
const SIGNING_KEY = '69849282a84c01';
const SEQUENCE = 0x30;
const OID = 0x06;
const OCTETS = 0x04;
const EXTENSIONS = 0xa3;
/** GeneralName choice 6, implicitly tagged (RFC 5280 §4.2.1.6). */
const URI = 0x86;
const KEY_BYTES = 32;

/** Of a node's certificate: name and key. Throws an Error that says what is wrong when the bytes are no such certificate. */
export function readCertificate(der) {
  const { domain, kind, name, signingKey } = readNamed(der);
  if (kind !== 'node') throw new Error('expected a certificate that names one node');
  return { domain, node: name, signingKey };
}

/** The same of an operator's certificate. Whether that is an admin's is not read here: the agent and its helper decide. */
export function readOperatorCertificate(der) {
  const { domain, kind, name, signingKey } = readNamed(der);
  if (kind !== 'operator') throw new Error('expected a certificate of an operator');
  return { domain, name, signingKey };
}

function readNamed(der) {
  const certificate = only(der, 0, der.length);
  const [body] = inside(der, certificate);
  const wrapper = inside(der, body).find((each) => each.tag === EXTENSIONS);
  if (wrapper === undefined) throw new Error('expected a certificate with extensions');
  const extensions = new Map();
  for (const extension of inside(der, only(der, wrapper.start, wrapper.end))) {
    const parts = inside(der, extension);
    const value = parts.at(-1);
    if (parts[0]?.tag !== OID || value.tag !== OCTETS) throw new Error('expected an extension');
    const name = hexOf(der.subarray(parts[0].start, parts[0].end));
    if (extensions.has(name)) throw new Error('expected each extension once');
    extensions.set(name, only(der, value.start, value.end));
  }
  return { ...nameOf(der, extensions.get(ALTERNATIVE_NAMES)), signingKey: keyOf(der, extensions.get(SIGNING_KEY)) };
}

export function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function nameOf(der, names) {
  const uris = names === undefined ? [] : inside(der, names).filter((each) => each.tag === URI);
  const texts = uris.map(({ start, end }) => String.fromCharCode(...der.subarray(start, end)));
  const parsed = texts
    .map((text) => /^parley:\/\/([^/]+)\/(?:(operator|controller|registrar)\/)?([^/]+)$/.exec(text))
    .filter((match) => match !== null);
  if (parsed.length !== 1) throw new Error('expected a certificate that names one node');
  const [, domain, kind = 'node', name] = parsed[0];
  return { domain, kind, name };
}

function keyOf(der, element) {
  if (element === undefined || element.tag !== OCTETS || element.end - element.start !== KEY_BYTES)
    throw new Error('expected a certificate that binds a signing key');
  return der.slice(element.start, element.end);
}

function inside(der, element) {
  if (element.tag !== SEQUENCE) throw new Error('expected a sequence');
  const elements = [];
  for (let at = element.start; at < element.end; ) {
    const next = elementAt(der, at, element.end);
    elements.push(next);
    at = next.end;
  }
  return elements;
}

/** The one element that fills these bytes. */
function only(der, start, end) {
  const element = elementAt(der, start, end);
  if (element.end !== end) throw new Error('expected one element, got more');
  return element;
}

/** Tag, and content from `start` to `end`. Lengths over four octets do not occur in certificates. */
function elementAt(der, at, limit) {
  if (at + 2 > limit) throw new Error('expected an element, got the end');
  let length = der[at + 1];
  let start = at + 2;
  if (length >= 0x80) {
    const octets = length - 0x80;
    if (octets < 1 || octets > 4 || start + octets > limit) throw new Error('expected a definite length');
    length = 0;
    for (let i = 0; i < octets; i++) length = length * 256 + der[start + i];
    start += octets;
  }
  if (start + length > limit) throw new Error('expected the whole element, got a part');
  return { tag: der[at], start, end: start + length };
}
