// Words that say nothing of what is asked. None of them may be a time, a verb of doing, a negation, a number, a unit or a name: such a word would
// change the question and be gone.

/** Wherever they stand. */
export const EMPTY_WORDS = listOf(`
a, an, the, this, that, these, those, it, its, itself, i, we, you, they, he, she, them, their, our, my, your, some, any, one, is, are, am, be, been, being, do, does,
done, can, could, would, should, might, may, must, will, shall, has, have, having, get, gets, got, getting, gotten, did you, what, which, who, whom, whose, where,
why, how, whether, so, then, or so, or not, anyone, anybody, as, there, here's, because, please, pls, kindly, hey, hi, hello, thanks, thank you, thx, good morning,
good afternoon, good evening, dear all, dear team, dear, team, all right, alright then, ok so, okay so, okay, hmm, um, uh, oh, well, sorry, sorry to bother you,
excuse me, help, urgent, asap, quick, quick question, fyi, ticket, inc, incident, subject, body, escalation, rfo needed, rfo, urgent request, please advise, advise,
regards, cheers, wtf, ffs, omg, damn, argh, note, alert, i think, i believe, help me, help us, help me with, help us with, not sure, not sure which, i am not sure, i
am not sure which, not sure why, i guess, i wonder, i wonder whether, i have a feeling that, i have the feeling that, like to, like to know, i would like to know, i
want to know, i want, we want, i would like, i need, we need, i need to know, love to, love to see, love to know, but, i just got paged about, i got paged about, got
paged about, paged, do you think, what do you think, do you know, do you happen to know, you happen to know, happen to know, tell, tell me, tell us, say me, i do not understand, i am not understand, i not understand, i do not get it, i do not get why, question mark, nobody told me that, why did nobody tell me that, why did nobody tell us that, why did no one tell me that, why did not anyone tell me that, can you confirm, could you confirm, please confirm, let me
know, let us know, please tell me that, find out, have a look, have a look at, take a look, take a look at, a look, have a quick look at, could it be, could it be
that, is it possible, is it possible that, is possible, is possible that, it is possible, is there any chance, is there any chance that, any chance, would you mind,
would you mind telling me, would you mind checking, telling me, telling us, somebody told me that, somebody told me, someone told me that, someone said, i heard
that, i heard, is that true, is it true, is it true that, is it just me, is it just me or, my boss wants to know, my boss asks, be so kind, be so kind and, so kind,
able to, be able, i should know, i should know about, should know, know, need, wonder, worry, worried, concerned, think, believe, seems, seem, seems to,
seem to, looks like, look like, look, looks, appears, appear, appears to, it seems, it seems that, it looks like, it exist, exist, exists, it exists, maybe, perhaps,
probably, apparently, actually, really, basically, just, simply, still, already, again, also, too, very, quite, rather, pretty, totally, completely, suddenly,
currently, now, right now, at the moment, at present, presently, momentarily, these days, any more, anymore, any longer, at all, somehow, yet, of course, in fact,
indeed, by the way, btw, anyway, though, all the time, every time, from time to time, sometimes, intermittently, occasional, occasionally, constant, constantly,
continuous, continuously, sporadic, sporadically, regularly, massively, little, much, lots, lot, a lot, a lot of, lots of, some kind of, kind of, sort of, a bit,
overall, any kind of, end to end, end-to-end, both, via which, please check again, investigation, request, question, everyone's, customers keep telling us that, our
customers keep telling us that, keep telling us, keep telling us that, keep, keeps, report, reports, reported, reporting, report that, ask if, asks if, asks whether, asked if, asked whether, claim, claims, notice,
noticed, notices, observe, observed, observing, experience, experiencing, experienced, suffer, suffers, suffering, suffer from, suffers from, seeing, someone,
somebody, shows, occurs, occur, occurred, going, go, goes, runs, run, running, ran, working on, come, comes, coming, coming up, stay, stays, root cause, root-cause,
explain, because of, due to, affected, affecting, impact, impacted, concern, concerns, ip, the matter, up with, situation, picture, info, information, details,
detail, overview, summary, poor old, little bit, wondering, wondered, i wonder if, any idea, any ideas, any clue, idea, clue, no idea, best regards, kind regards,
many thanks, yours sincerely, sincerely, rgds, description, title, severity, category, noc, ticket number, details below, see below, complaints, complaint, complaint
about, complaints about, figure out, work out, determine, confirm, make sure, make sure that, let me see, let us see, let me check, i am wondering, i was wondering,
i was wondering if, i would appreciate it if you could, appreciate, alarm, symptom, symptoms, his, her, him, on the board, for the board, on my screen, on the
dashboard, abnormally, unusually, extremely, incredibly, terribly, badly, insanely, exceptionally, particularly, especially, fully, generally, obviously, clearly,
definitely, presumably, supposedly, reportedly, allegedly, i suspect, we suspect, suspect, suspected, i fear, i am afraid, afraid, unfortunately, sadly, luckily,
hopefully, for some reason, for me, for us, for you, good day, greetings, hi there, hello there, hi all, hi team, hello team, hiya, yo, folks, guys, mate, buddy,
man, sir, madam, gents, morning all, evening all, quick one, a quick one, when you have a moment, when you have time, when you get a chance, if you can, if you
could, if possible, if you would, if you please, if you do not mind, if you have time, if you have a moment, would it be possible, would it be possible to, is there
a way to, is there any way to, give me a hand, lend me a hand, i was told, we were told, i was told that, we were told that, it would be nice to know, it would be
good to know, it would be great to know, curious, i am curious, just curious, just checking, double check, double-check, sanity check, heads up, urgently, as quickly
as possible, quick check, kindly please, at your earliest convenience, earliest convenience
`);

/** Beside what is asked; where nothing else is asked, they are it: "packets on p2". */
export const BESIDE_WORDS = listOf(`
full, known, whole, entire, general, certain, particular, specific, exact, exactly, own, current, present, actual, end, ends, each other, one another, together, in order,
needs, want, wants, feel, feels, feeling, chance, possible, random, randomly, follow, following, seen, facing, make, makes, making, take, takes, taking, use, uses,
using, become, became, becomes, cross, crosses, traverse, traverses, remain, remains, stand, stands, need to, needs to, try, tries, trying, tried, trying to, begin, began, start, starts, starting,
started, called, named, rx and tx, tx and rx, rx/tx, tx/rx, in/out, input and output, made, true, boss, beautiful, lovely, nice, value, values, figure, figures, say,
says, said, told, quickly, next, strange, keep on, present on, even, always, often, data on, deal, matter, member, members, send traffic, send packets, sends traffic, amount, amount of, both directions, both ways, bytes,
callers, caller, case, cause, caused, caused by, causes, causing, client, clients, colleagues, count, customer, customer traffic, customers, data, datagram,
datagrams, direction, few, flow, flows, frame, frames, heavy, high, intermittent, ip traffic, level, low, many, massive, number, number of, order, packet, packets,
part, people, priority, rate, reason, reason for, several, severe, side, sit, sits, sitting, stream, streams, stuff, the reason, thing, traffic, type, user, user
traffic, users, way
`);

function listOf(text: string): string {
  return text.replaceAll('\n', ' ').trim();
}
