// source_rewrite: a writes a source address into what it sends to b, which has no route back to it; and what looks like it and is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceRewrite } from '#correlate/faults/forwarding/source-rewrite.ts';
import { newSourceLines, translatedSources } from '#correlate/network/translated-sources.ts';
import type { World } from '#correlate/network/world.ts';
import { pairWorld } from '../../pair-scene.ts';
import { caseOf } from '../proposing.ts';

const [NEW, OLD] = ['203.0.113.65', '203.0.113.5'];
const rule = (address: string, more: object = {}) => ({
  ...{ family: 'ip', table: 'nat', chain: 'post', path: ['post'], hook: 'postrouting', handle: 2, verdict: 'other' },
  ...{ outInterfaces: ['to-b'], inInterfaces: [], matches: [], matchesRest: false, rewrites: [`source = ${address}`] },
  ...more,
});
const remembers = (...filters: readonly object[]) => ({
  past: [{ fromAgoMs: 90_000, untilAgoMs: 30_000, state: { filters, missing: [] } }],
});
const MOVED = { filters: [rule(NEW)], ...remembers(rule(OLD)) };
const NONE = { destination: NEW, kind: 'none' };
const back = (ifname: string, more: object = {}) => ({
  ...{ destination: NEW, kind: 'unicast', matched: '203.0.113.0/24', protocol: 'static', ifname },
  ...more,
});

function worldOf(a: object, answers: Readonly<Record<string, object | undefined>>, b: object = {}): World {
  const lookups = new Map(
    Object.entries(answers).map(
      ([node, answer]) => [node, new Map(answer === undefined ? [] : [[NEW, answer]])] as const,
    ),
  );
  return pairWorld(['a-b', 'b-c', 'c-a'], { a: { now: a }, b: { now: b }, c: { now: {} } }, { lookups });
}

const found = (a: object, answers: Readonly<Record<string, object | undefined>>, b: object = {}) => {
  const world = worldOf(a, answers, b);
  const raised = sourceRewrite.detect!({ world, facts: [] });
  return sourceRewrite
    .propose(caseOf(raised, world), [])
    .map(({ resource, confidence, remark }) => `${resource} ${remark === undefined ? confidence : 'remark'}`);
};

test('an address that a rule did not write before, to which the next node has no route, is a fault of the node of the rule', () => {
  assert.deepEqual(found(MOVED, { b: NONE }), ['node/a likely']);
  assert.deepEqual(found(MOVED, { b: back('to-c'), c: NONE }), ['node/a likely'], 'it ends one node farther on');
  assert.deepEqual(found({ ...MOVED, filters: [rule(NEW, { packets: '0' })] }, { b: NONE }), [], 'it took nothing');
  assert.deepEqual(found({ ...MOVED, filters: [rule(NEW, { rewrites: ['source = own'] })] }, { b: NONE }), []);
});

test('answers that find back are no fault, by whichever way', () => {
  assert.deepEqual(found(MOVED, { b: back('to-a') }), []);
  assert.deepEqual(found(MOVED, { b: back('to-a', { matched: 'default' }) }), []);
  assert.deepEqual(
    found(MOVED, { b: back('to-a', { protocol: 'kernel' }) }),
    [],
    'the node may answer for it on that link',
  );
  const there = back('to-c', { protocol: 'kernel' });
  assert.deepEqual(found(MOVED, { b: there, c: NONE }), [], 'it may answer on any network that the next node has');
  const own = new Map([[NEW, [{ node: 'a', ifname: 'lo' }]]]);
  assert.deepEqual(sourceRewrite.detect!({ world: { ...worldOf(MOVED, { b: NONE }), owners: own }, facts: [] }), []);
});

test('what was so for as long as the nodes remember is a remark, also where the rules were loaded again', () => {
  assert.deepEqual(found({ filters: [rule(NEW)] }, { b: NONE }), ['node/a remark']);
  const reloaded = { filters: [rule(NEW, { handle: 9 })], ...remembers(rule(NEW)) };
  assert.deepEqual(found(reloaded, { b: NONE }), ['node/a remark']);
});

test('days of memory show that another address was written', () => {
  const change = (row: object) => ({ kind: 'filter', subject: 'ip nat post', agoMs: 1_800_000, ...row });
  const days = (...settings: readonly object[]) => ({
    filters: [rule(NEW)],
    history: { spanMs: 60_000, events: [], lastHeard: [], settingsSpanMs: 3_600_000, settings },
  });
  const came = change({ setting: 'handle 4', is: `source = ${NEW}, to to-b` });
  const went = change({ setting: 'handle 2', was: `source = ${OLD}, to to-b` });
  assert.deepEqual(found(days(came, went), { b: NONE }), ['node/a likely']);
  assert.deepEqual(found(days(came), { b: NONE }), ['node/a remark'], 'the agent may have read no such rules before');
  const again = change({ setting: 'handle 3', was: `source = ${NEW}, to to-b` });
  assert.deepEqual(found(days(came, went, again), { b: NONE }), ['node/a remark'], 'it was written before too');
});

test('where the next node lost its route to an address that always was written, that node is named', () => {
  const route = {
    prefix: '203.0.113.64/28',
    kind: 'unicast',
    protocol: 'static',
    nextHop: '198.18.1.1',
    ifname: 'to-a',
  };
  const lost = {
    staticRoutes: [],
    missing: [],
    past: [{ fromAgoMs: 90_000, untilAgoMs: 30_000, state: { staticRoutes: [route], missing: [] } }],
  };
  assert.deepEqual(found({ filters: [rule(NEW)] }, { b: NONE }, lost), ['node/b likely']);
});

test('a new address of which no node beyond can say whether answers find back keeps the verdict from being healthy', () => {
  const lines = (a: object, b: object | undefined) => newSourceLines(worldOf(a, { b })).length;
  assert.deepEqual(
    [lines(MOVED, undefined), lines({ filters: [rule(NEW)] }, undefined), lines(MOVED, back('to-a'))],
    [1, 0, 0],
  );
  assert.equal(
    lines({ ...MOVED, filters: [rule(NEW, { outInterfaces: ['eth9'] })] }, NONE),
    1,
    'no node is known there',
  );
  const around = worldOf(MOVED, { b: back('to-c'), c: back('to-a') });
  assert.deepEqual(newSourceLines(around), [], 'answers come back by a third node');
});

test('two rules that write one address are judged by the port of each, in whichever order they stand', () => {
  const [toB, toC] = [rule(NEW), rule(NEW, { outInterfaces: ['to-c'] })];
  for (const filters of [
    [toB, toC],
    [toC, toB],
  ]) {
    const a = { filters, ...remembers(rule(OLD)) };
    assert.deepEqual(found(a, { b: back('to-a'), c: NONE }), ['node/a likely'], 'c has no route back');
    const both = translatedSources(worldOf(a, { b: NONE, c: NONE }));
    assert.deepEqual(
      both.map(({ back: way, at }) => [way, at]),
      [['none', ['b', 'c']]],
    );
    assert.equal(newSourceLines(worldOf(a, { b: back('to-a'), c: undefined })).length, 1, 'c could not say');
  }
  const twice = { filters: [toB, rule(NEW, { handle: 3 })], ...remembers(rule(OLD)) };
  assert.equal(translatedSources(worldOf(twice, { b: NONE })).length, 1, 'by one port');
});
