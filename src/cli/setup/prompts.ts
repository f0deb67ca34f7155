// What "parley setup" asks at a terminal. An answer of another form is asked for again, a few times; Enter takes what stands in brackets.
import { isNodeName } from '#model/names.ts';
import { isDomain } from '#mtls/party.ts';
import { CLI_LIMITS } from '../limits.ts';
import type { Ask } from '../terminal/ask.ts';
import { usage } from '../terminal/usage.ts';

export const NODE_NAME = 'a node name of lower-case letters, digits, "-", "_" and "."';
export const DOMAIN_NAME = 'a domain such as lab.example';

type Question = {
  readonly text: string;
  /** What Enter stands for. */
  readonly usual?: string | undefined;
  readonly isRight: (answer: string) => boolean;
  readonly expected: string;
};

export function askNode(ask: Ask, own: string): Promise<string> {
  const usual = isNodeName(own) ? own : undefined;
  const shown = usual === undefined ? '' : ` [${usual}]`;
  return answerTo(ask, { text: `name of this node${shown}: `, usual, isRight: isNodeName, expected: NODE_NAME });
}

export function askDomain(ask: Ask, usual: string): Promise<string> {
  return answerTo(ask, { text: `domain of the trial [${usual}]: `, usual, isRight: isDomain, expected: DOMAIN_NAME });
}

/** Empty for a trial. */
export function askRegistrar(ask: Ask): Promise<string> {
  return answerTo(ask, {
    text: 'registrar that gives this node its certificate, HOST or HOST:PORT [none: a CA for a trial, on this machine]: ',
    usual: '',
    isRight: (answer) => /^\S+$/.test(answer),
    expected: 'HOST or HOST:PORT',
  });
}

export function askCode(ask: Ask): Promise<string> {
  return answerTo(ask, {
    text: 'code that the registrar made for this node ("parley registrar code --node NAME"): ',
    isRight: (answer) => /^\S+$/.test(answer),
    expected: 'a code',
  });
}

/** Rejects with `caller/usage` after the last of the attempts. */
async function answerTo(ask: Ask, { text, usual, isRight, expected }: Question): Promise<string> {
  let wrong = '';
  for (let attempt = 0; attempt < CLI_LIMITS.setupAttempts; attempt++) {
    const answer = await ask(attempt === 0 ? text : `expected ${expected}, got "${wrong}"\n${text}`);
    if (answer === '' && usual !== undefined) return usual;
    if (isRight(answer)) return answer;
    wrong = answer;
  }
  throw usage(expected, `"${wrong}"`);
}
