// What the build of a sentence asks, where no word of it does. Each frame adds what is asked, or leaves the items as they are. A frame takes
// away only words that it reads; a name, a number or a word that is not known stays, or is named as not used.
import type { Item } from '../item.ts';
import { elseThan, ignored, joining, known, setAside, signed, titled } from './asides.ts';
import { configured, worked } from './changes.ts';
import { lasting } from './days.ts';
import { filled } from './fullness.ts';
import { limbed } from './limbs.ts';
import type { Frame } from './parts.ts';
import { lacking, negatedPerson, outside, remarked, timed } from './remarks.ts';
import { cameBack, lostNode, otherEnd, runningSince, sinceDone } from './since.ts';
import { attached, carried, interfaces, nodes, owner, recorded } from './tables.ts';
import { downFor, dropped, gets, getsFrom, ofWay, path, seenFrom, sized, variation } from './ways.ts';

const FRAMES: readonly Frame[] = [
  ignored,
  limbed,
  sinceDone,
  known,
  remarked,
  outside,
  timed,
  negatedPerson,
  lacking,
  elseThan,
  setAside,
  signed,
  joining,
  titled,
  runningSince,
  cameBack,
  lostNode,
  otherEnd,
  lasting,
  sized,
  ofWay,
  dropped,
  downFor,
  gets,
  getsFrom,
  configured,
  worked,
  variation,
  seenFrom,
  owner,
  attached,
  interfaces,
  nodes,
  filled,
  carried,
  recorded,
  path,
];

export function framed(items: readonly Item[]): readonly Item[] {
  return FRAMES.reduce((read, frame) => frame(read), items);
}
