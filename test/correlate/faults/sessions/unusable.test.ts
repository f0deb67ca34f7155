// Adjacencies that are up and whose ends contradict each other: passwords of areas count on level 1, those of domains on level 2.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unusableRemarks } from '#correlate/faults/sessions/unusable.ts';
import { isis, pairWorld, type State } from '../../pair-scene.ts';

const AREA_1 = { level: '1-2', areas: ['49.0001'], areaPassword: 'none', domainPassword: 'none' };
const AREA_2 = { ...AREA_1, areas: ['49.0002'] };

/** Words for what the routers a and b contradict each other in; their circuits speak `level`. */
function remarks(a: object, b: object, level = '1-2'): readonly string[] {
  const at = (ifname: string, router: object): State => {
    const state = isis(ifname, 'up', { level });
    return { ...state, isis: { ...(state['isis'] as object), ...router } };
  };
  const world = pairWorld(['a-b'], { a: { now: at('to-b', a) }, b: { now: at('to-a', b) } });
  return unusableRemarks(world).map(({ text }) => text.split(': the IS-IS')[0]!);
}

test('an area password is compared on level 1 alone', () => {
  const secret = { ...AREA_1, areaPassword: 'md5' };
  const differ = ['{a}: area password md5, {b}: area password none'];
  assert.deepEqual(remarks(secret, AREA_1), differ);
  assert.deepEqual(remarks(secret, AREA_1, '1'), differ);
  assert.deepEqual(remarks(secret, AREA_1, '2'), []);
  assert.deepEqual(remarks(secret, { ...AREA_1, level: '2' }), []);
  assert.deepEqual(remarks(secret, AREA_2), [], 'two areas are adjacent on level 2 alone');
  assert.deepEqual(remarks(secret, secret), []);
});

test('a domain password is compared on level 2 alone', () => {
  const secret = { ...AREA_1, domainPassword: 'clear' };
  const differ = ['{a}: domain password clear, {b}: domain password none'];
  assert.deepEqual(remarks(secret, AREA_1), differ);
  assert.deepEqual(remarks(secret, AREA_2), differ);
  assert.deepEqual(remarks(secret, AREA_1, '1'), []);
  assert.deepEqual(remarks(secret, secret), []);
});

test('a node that does not tell area and domain passwords apart says nothing of either', () => {
  const { domainPassword: _, ...old } = AREA_1;
  assert.deepEqual(remarks({ ...old, areaPassword: 'md5' }, AREA_1), []);
});
