// All parsers that a stranger reaches, by name.
import type { Parser } from './parser.ts';
import { CERTIFICATES } from './parsers/certificates.ts';
import { ENROLMENT } from './parsers/enrolment.ts';
import { HTTP } from './parsers/http.ts';
import { LINKS } from './parsers/links.ts';
import { TEXTS } from './parsers/texts.ts';
import { TOKENS } from './parsers/tokens.ts';
import { WIRE } from './parsers/wire.ts';

export const PARSERS: readonly Parser[] = [...WIRE, ...CERTIFICATES, ...LINKS, ...ENROLMENT, ...TEXTS, ...TOKENS, HTTP];
