// Parts of an nftables rule in nft's own words, `ct state established,related`: of those that cannot be told of a packet, a reader is told which
// they are. Pure.
import { isJsonObject, type JsonObject, type JsonValue } from '#base/json.ts';
import { textOf } from '../kernel/ip-command.ts';

/** Characters of one part: a set may have thousands of elements. */
const PART_CHARS = 120;

/** `match` as nft prints it: `op`, `left`, `right`. */
export function matchWords({ left, op, right }: JsonObject): string {
  const value =
    typeof right === 'boolean' ? (right ? 'exists' : 'missing') : right === undefined ? '' : valueWords(right);
  // nft leaves it out, but for some bits of a field.
  const isPlain =
    left === undefined || !isJsonObject(left) || !Object.values(left).some((value) => Array.isArray(value));
  const isLeftOut = op === 'in' || op === undefined || (op === '==' && (isPlain || left['concat'] !== undefined));
  const between = isLeftOut ? '' : `${textOf(op) ?? ''} `;
  return cut(`${expressionWords(left)} ${between}${value}`.trim());
}

/** A statement that takes only some of the packets that come to it: `limit rate over 10/second`. */
export function statementWords(statement: JsonObject): string {
  const [name = 'nothing', value] = Object.entries(statement)[0] ?? [];
  if (value === undefined || !isJsonObject(value)) return cut(name);
  const over = value['inv'] === true ? 'over ' : '';
  switch (name) {
    case 'limit': {
      const unit = textOf(value['rate_unit']);
      return cut(
        `limit rate ${over}${plain(value['rate'])}${unit === undefined ? '' : ` ${unit}`}/${plain(value['per'])}`,
      );
    }
    case 'quota':
      return cut(`quota ${over}${plain(value['val'])} ${plain(value['val_unit'])}`);
    case 'ct count':
      return cut(`ct count ${over}${plain(value['val'])}`);
    case 'set':
      return cut(`${plain(value['op'])} ${plain(value['set'])} { ${expressionWords(value['elem'])} }`);
    case 'xt':
      return cut(`xtables ${plain(value['name'])}`);
    default:
      return cut(name);
  }
}

function expressionWords(left: JsonValue | undefined): string {
  if (left === undefined || !isJsonObject(left)) return left === undefined ? '' : valueWords(left);
  const [kind = '', value] = Object.entries(left)[0] ?? [];
  if (Array.isArray(value)) return value.map(expressionWords).join(kind === 'concat' ? ' . ' : ` ${kind} `);
  if (value === undefined || !isJsonObject(value)) return kind;
  if (kind === 'payload' && value['base'] !== undefined)
    return `@${[value['base'], value['offset'], value['len']].map(plain).join(',')}`;
  if (kind === 'payload') return [value['protocol'], value['field']].map(plain).join(' ');
  if (kind === 'fib') {
    const flags = Array.isArray(value['flags']) ? value['flags'] : [value['flags'] ?? ''];
    return `fib ${flags.map(plain).join(' . ')} ${plain(value['result'])}`;
  }
  // In the order in which nft prints them: `ct original saddr`, `tcp option maxseg size`, `exthdr rt seg-left`.
  const members = ['dir', 'name', 'key', 'field'].flatMap((member) => textOf(value[member]) ?? []);
  return [kind, ...members].join(' ');
}

function valueWords(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(valueWords).join(',');
  if (!isJsonObject(value)) return plain(value);
  const { prefix, range, set, elem, concat } = value;
  if (prefix !== undefined && isJsonObject(prefix)) return `${plain(prefix['addr'])}/${plain(prefix['len'])}`;
  if (Array.isArray(range)) return range.map(valueWords).join('-');
  // More of them are cut anyway.
  if (Array.isArray(set)) return `{ ${set.slice(0, PART_CHARS).map(valueWords).join(', ')} }`;
  if (Array.isArray(concat)) return concat.map(valueWords).join(' . ');
  if (elem !== undefined && isJsonObject(elem)) return valueWords(elem['val'] ?? null);
  return expressionWords(value);
}

function plain(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function cut(words: string): string {
  return words.length > PART_CHARS ? `${words.slice(0, PART_CHARS - 1)}…` : words;
}
