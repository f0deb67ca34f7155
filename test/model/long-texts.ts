// Texts that begin a form of secret over and over, or for long, and never end it; read by a process of its own, which its parent can end.
import { redactForms } from '#model/secrets/secret-forms.ts';

const CHARS = 2_000_000;
const many = (part: string) => part.repeat(Math.ceil(CHARS / part.length));
const long = (head: string, part: string, tail = '') => `${head}${many(part)}${tail}`;

/** The header alone: no key follows. */
const PEM_HEADER = ['-----BEGIN', 'PRIVATE', 'KEY-----'].join(' ');

const TEXTS: Readonly<Record<string, string>> = {
  'private keys': many(PEM_HEADER),
  'private keys with headers': many(`${PEM_HEADER} ab: `),
  'a private key of headers': long(PEM_HEADER, 'ab: '),
  'a private key of spaces': long(PEM_HEADER, ' ', '-'),
  'a private key of base64': long(PEM_HEADER, 'A', '-'),
  schemes: many('a://'),
  'schemes with users': many('a://u:'),
  'a scheme': long('', 'a', '://'),
  'a password of a URL': long('a://u:', 'x'),
  'a password of colons': long('a://', ':'),
  'password hashes': many('$1$'),
  'short password hashes': many('$1$abc '),
  'a password hash': long('$1$', 'a'),
  sevens: many('7 '),
  'a seven with spaces': long('7', ' '),
  'an encoded password': long('7 00', '0'),
  'encoded passwords with spaces': many('7          00FFAA'),
  'a web token of heads': many('eyJaaaaaaaa'),
  'a web token of heads with hyphens': many('eyJaaaaaaaa-'),
  'heads of web tokens': many('eyJaaaaaaaa '),
  'web tokens of two parts': many('eyJaaaaaaaa.eyJaaaaaaaa.'),
  'a head of a web token': long('eyJ', 'a'),
  keys: many('key '),
  'keys without spaces': many('key='),
  'a key with spaces': long('key', ' '),
  'keys with many spaces': many(`key${' '.repeat(1_000)}`),
  'a secret with spaces and signs': long('secret', ' ', long('=', ' ')),
  'a key of letters': long('key ', 'aA'),
  'a key of base64': long('key ', 'aA1', '-'),
  'a secret of hex': long('secret ', 'a1', '-'),
  'a secret of digits': long('secret ', '1', '-'),
  'secrets with slashes': many('secret/secret '),
  'statements of authentication': many('authentication mode md5 '),
  'a statement with spaces': long('authentication', ' ', long('md5', ' ')),
  'a key of a statement': long('password md5 ', 'a', '-'),
};

for (const [name, text] of Object.entries(TEXTS)) {
  redactForms(text);
  console.log(name);
}
console.log('all were read');
