// Words that order something to be done. A question never does anything: the answer says so, and which command does.
import type { Meaning, OrderKind } from './meaning.ts';

type Row = readonly [Meaning, string];

const WORDS: readonly (readonly [OrderKind, string])[] = [
  [
    'configure',
    'do something, do something about, shut, shut down, shutdown, no shut, enable, disable, set, unset, add, remove, delete, block, unblock, allow, permit, deny, turn off, turn on, switch off, switch on, activate, deactivate, configure, reconfigure, quarantine, conf t, configure terminal, change, modify, edit, increase, decrease, raise, lower, adjust, install, replace, assign, create, drop all, filter out, move, redirect, reroute, shift, drain, undrain, bounce, toggle, flap it, bring, bring up, bring down, make, make shutdown of, announce, withdraw, advertise, apply, commit, commit confirmed, commit check, push, write, save, rename, prefer, announce, put, take down, take out, cut, isolate, prepend, limit, police, shape, mirror',
  ],
  [
    'remedy',
    'fix, repair, mend, heal, solve, resolve it, correct, undo, roll back, rollback, revert, restore, recover, remediate, get rid of',
  ],
  [
    'router',
    'reboot, restart, reload, reset, clear, kill, upgrade, downgrade, update, patch, power off, power cycle, power-cycle, halt, stop it, start it, flush, wipe, erase, format, factory reset, crash it',
  ],
];

/** What people do for each other. */
const FOR_PEOPLE =
  'email, e-mail, mail, notify, inform, warn, phone, telephone, sms, remind, escalate, forward, schedule, subscribe, unsubscribe, acknowledge, ack, silence, mute, suppress, snooze, publish, document, close, submit, file, log, send, post, share, export, dispatch, order, buy, book, let, note, note down, write down, record, store, mark, flag, archive, ticket for, a ticket for, case for, new ticket, new case, new ticket for';
/** Said to people; said to nothing else than a node these are questions. */
const TO_PEOPLE = 'tell, ask, call, page, text, message, ring, alert, contact, wake';
/** In the middle of a sentence these say what something does. */
const AT_START =
  'start, stop, begin, resume, pause, abort, cancel, use, take, ensure, turn, power, cycle, log in to, log into, connect to, access, go to, route traffic, route packets, send traffic, send packets, steer, switch, swap, avoid, prevent, keep, wait';

const MAKE = [
  'open',
  'raise',
  'create',
  'file',
  'log',
  'make',
  'write',
  'submit',
  'cut',
  'start',
  'send',
  'get me',
  'i need',
];
const ARTICLES = ['a', 'an', 'the', 'another', 'one', 'a new', 'new', 'an urgent', 'me a', 'us a'];
const RECORDS = [
  'ticket',
  'tickets',
  'case',
  'bug',
  'bug report',
  'incident',
  'trouble ticket',
  'alarm',
  'alert',
  'reminder',
  'tac case',
  'support case',
  'mail',
  'email',
];
const RECORDED = MAKE.flatMap((verb) =>
  RECORDS.flatMap((record) => ARTICLES.map((article) => `${verb} ${article} ${record}`)),
).join(', ');

export const ORDERS: readonly Row[] = [
  ...WORDS.map(([command, phrases]): Row => [{ kind: 'order', command }, phrases]),
  [{ kind: 'order', command: 'people', of: 'any' }, `${FOR_PEOPLE}, open`],
  [
    { kind: 'order', command: 'remedy', of: 'any' },
    'follow up, follow up on, clean up, clean, deal with, take care of, sort out, handle, see to, attend to, do away with, straighten out, work around, care for, look to',
  ],
  [{ kind: 'order', command: 'people', of: 'people' }, TO_PEOPLE],
  [{ kind: 'order', command: 'configure', of: 'any' }, AT_START],
  [{ kind: 'order', command: 'configure', of: 'protocol' }, 'run'],
  [{ kind: 'order', command: 'people', anywhere: true }, RECORDED],
  [
    { kind: 'order', command: 'people', anywhere: true },
    'keep an eye on, keep me posted, keep us posted, keep me informed, notify me, notify us, alert me, alert us, warn me, warn us, wake me, page me, call me, text me, email me, mail me, remind me, ping me, message me, ticket please, ticket pls, case please, get someone, get somebody, have someone, have somebody, ask someone, ask somebody, send someone, find someone, keep watching, keep monitoring',
  ],
];
