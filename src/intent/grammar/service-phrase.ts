// Which service of a host a question is about: a name server, a name that it is to know, a web page. Only what the operator says
// tells that a host serves anything at all.

import type { AskedService } from '#model/intent.ts';
import { isHostName } from '#model/router/hosts.ts';

const NAMES =
  /\b(?:dns|name\s*-?servers?|resolvers?|resolv(?:e|es|ing)|look(?:s|ing)?\s+up|(?:udp|tcp)[\s/]+(?:port\s+)?53|port\s+53)\b/i;
const PAGES = /\bhttps?\b|\bweb\s*-?(?:servers?|sites?|pages?|services?)\b|\b(?:tcp[\s/]+)?port\s+(?:80|443|8080)\b/i;
const RECORD =
  /\b(?:resolv(?:e|es|ing)|look(?:s|ing)?\s+up)\s+(?:the\s+name\s+)?["'“‘]?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/i;
const PORT = /(?::|\bport\s+)(443|8080|80)\b/i;

export function serviceIn(text: string): AskedService | undefined {
  if (NAMES.test(text)) {
    const record = RECORD.exec(text)?.[1];
    const isName = record !== undefined && isHostName(record) && !/^[0-9.]+$/.test(record);
    return { name: 'dns', port: 53, ...(isName ? { record } : {}) };
  }
  if (!PAGES.test(text)) return undefined;
  const named = Number(PORT.exec(text)?.[1] ?? 0);
  const port = ([80, 443, 8_080] as const).find((each) => each === named);
  return { name: 'http', port: port ?? (/\bhttps\b/i.test(text) ? 443 : 80) };
}
