// Verbs that say what is asked, each in all its forms, and what their trouble is called as a thing. Forms of the past read what is remembered.
import type { Topic } from '#model/intent.ts';
import type { Meaning } from './meaning.ts';
import { allForms } from './verb-forms.ts';

type Row = readonly [Meaning, string];

function verbs(topic: Topic, phrases: string): readonly Row[] {
  return [
    [{ kind: 'topic', topic }, allForms(phrases, 'present')],
    [{ kind: 'topic', topic, past: true }, allForms(phrases, 'past')],
  ];
}

const FLAP =
  'bounce, flip-flop, go down, go up and down, go down and up, go down and come back, go down and come back up, go down and back up, come and go, drop out, drop off, drop out and come back, drop and come back, drop and come back up, cut out, cut in and out, lose carrier, lose its carrier, lose the carrier, lose link, lose its link, come back up, fall over, fall off, stay up or flap';
const TROUBLE =
  'act up, play up, misbehave, malfunction, crash, collapse, struggle, give trouble, give us trouble, give me trouble, have trouble, have issues, have problems, fall apart, blow up, go bang, go bad, go dark, take hits, take a hit, hold up, behave itself, behave badly, have a hiccup, have a blip, have a glitch, break down';
const LOSS =
  'get lost, drop packets, drop frames, drop traffic, lose traffic, lose frames, lose data, discard packets, discard traffic';
const SLOW = 'lag, slow down, take forever, take ages, take too long, take so long, take very long, take a long time';
const FULL = 'saturate, overload';
const CHANGE =
  'reconfigure, modify, alter, tweak, mess with, mess around with, mess about with, tinker with, fiddle with, play with, touch, change, push config, push a config, push configuration, push changes, roll out changes';
const BOOT = 'boot, boot up';

/** The thing, in the singular and the plural. */
const TROUBLES =
  'degradation, hiccup, blip, glitch, malfunction, disruption, interruption, impairment, breakage, defect, incident, downtime, meltdown';

export const VERB_WORDS: readonly Row[] = [
  ...verbs('flap', FLAP),
  ...verbs('trouble', TROUBLE),
  ...verbs('loss', LOSS),
  ...verbs('delay', SLOW),
  ...verbs('capacity', FULL),
  ...verbs('uptime', BOOT),
  [{ kind: 'topic', topic: 'changes', past: true }, [allForms(CHANGE, 'present'), allForms(CHANGE, 'past')].join(', ')],
  [
    { kind: 'topic', topic: 'trouble' },
    TROUBLES.split(', ')
      .flatMap((noun) => [noun, noun.endsWith('ch') ? `${noun}es` : `${noun}s`])
      .join(', '),
  ],
  [
    { kind: 'topic', topic: 'trouble' },
    'needs attention, need attention, needs my attention, need my attention, the matter, the matter with, matter with, unavailable, unavailability, defective, out of order, out of service, in a bad state, in bad shape, on the blink, messed up, screwed up, ill, flaky, wobbly, unreliable, faulted, in error, not right, not behaving, disturbed, what is up at, crippled',
  ],
  [
    { kind: 'topic', topic: 'trouble', weak: true },
    'back to normal, back in service, back to life, up or not, stable or not, stable or unstable, alive or dead, dead or alive, working or broken, behaving, behaves, network wise, working or not, ok or not, complain, complains, complaining, complained, complain about, complains about, complaining about, cut, acceptable, reasonable, as expected, as it should, as it should be, properly, correctly, all green, green, red, in good order, in good shape, intact, usable, available, up and running, in service, running fine, running well',
  ],
];
