// Questions that a script writes: `loss;src=pe1;dst=pe3;last=15m`, `delay{from="pe1",to="pe3"}[5m]`, as the words that they stand for. A key that stands
// for nothing here keeps its sign, and the sign refuses the question.

const KEYS: Readonly<Record<string, string>> = {
  ...{ src: 'from', source: 'from', from: 'from', dst: 'to', dest: 'to', destination: 'to', to: 'to', via: 'via' },
  ...{ node: 'on', router: 'on', device: 'on', on: 'on', if: 'interface', iface: 'interface', ifname: 'interface' },
  ...{ interface: 'interface', peer: 'neighbor', neighbor: 'neighbor', nbr: 'neighbor', server: 'at', name: 'resolve' },
  ...{ last: 'last', window: 'last', range: 'last', since: 'since', port: 'port' },
};

const PAIR = /(^|[\s;,{|&?])([a-z]+)=(?:"([^"=]*)"|'([^'=]*)'|([^\s;,{}"'=|&]+))/gi;

/** The sentence as it is, where it holds no such pair. */
export function withoutKeys(sentence: string): string {
  const words = sentence.replace(PAIR, (whole, before: string, key: string, ...rest: readonly string[]) => {
    const word = KEYS[key.toLowerCase()];
    const value = rest.slice(0, 3).find((each) => each !== undefined);
    return word === undefined || value === undefined
      ? whole
      : `${/[{;,|&?]/.test(before) ? ' ' : before}${word} ${value}`;
  });
  if (words === sentence) return sentence;
  return words
    .replace(/\}?\s*\[(\d+[smhd])\]/g, ' last $1')
    .replace(/^([a-z]+)\.(?:count|rate|total)\b/i, '$1')
    .replace(/[{};]/g, ' ');
}
