// What outlives a reload of this tab, in the browser's session storage: which questions were asked, by the ids of their reports, and the tokens of
// changes that wait or are open. No answer and no evidence is kept: the page fetches the signed reports again. Another operator, or another node under
// this address, finds nothing.
const KEY = 'parley';
const MOST_TURNS = 20;

export function createKept(owner) {
  const load = () => {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY));
      return kept?.owner === owner ? kept : { owner, turns: [] };
    } catch {
      return { owner, turns: [] };
    }
  };
  const store = (change) => sessionStorage.setItem(KEY, JSON.stringify({ ...load(), ...change }));
  return {
    turns: () => load().turns,
    addTurn: (turn) => store({ turns: [...load().turns, turn].slice(-MOST_TURNS) }),
    forgetTurns: () => store({ turns: [] }),
    /** The token under this name; made by `make` the first time. */
    tokenFor(name, make) {
      const tokens = load().tokens ?? [];
      const known = tokens.find((each) => each.name === name);
      if (known !== undefined) return known.token;
      const token = make();
      store({ tokens: [...tokens, { name, token }].slice(-MOST_TURNS) });
      return token;
    },
    openChange: () => load().openChange,
    keepChange: (openChange) => store({ openChange }),
    forgetChange: () => store({ openChange: undefined }),
  };
}
