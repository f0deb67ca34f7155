// srv6_sid_missing: heads send to a SID within a node's locator that this node does not have; srv6_sid_unreachable: a head sends
// to a SID that belongs to nobody.
import { nodeResource } from '#model/names.ts';
import { mark } from '../spelling.ts';
import { shareOf, simple, troublesOfKind } from './explain.ts';
import type { Rule } from './rule.ts';

export const srv6SidMissing: Rule = {
  fault: 'srv6_sid_missing',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'a node lacks an SRv6 SID of its locator that others send to',
  propose: (file) =>
    troublesOfKind(file, 'srv6')
      .filter(({ detail }) => detail['owner'] !== undefined)
      .map((trouble) =>
        simple(srv6SidMissing, nodeResource(String(trouble.detail['owner'])), [shareOf(trouble)], trouble.source, {
          details: { sid: trouble.detail['sid'] ?? '', what: trouble.text },
          remedy: {
            node: String(trouble.detail['owner']),
            summary: `make SID ${trouble.detail['sid']} on ${mark(String(trouble.detail['owner']))} again`,
          },
        }),
      ),
};

export const srv6SidUnreachable: Rule = {
  fault: 'srv6_sid_unreachable',
  resourceForm: 'node',
  accuses: true,
  nika: null,
  netOpsBench: null,
  summary: 'a head steers traffic to an SRv6 SID that no node has',
  propose: (file) =>
    troublesOfKind(file, 'srv6')
      .filter(
        ({ detail }) => detail['owner'] === undefined && Array.isArray(detail['heads']) && detail['heads'].length === 1,
      )
      .map((trouble) => {
        const head = String((trouble.detail['heads'] as readonly unknown[])[0]);
        const silent = file.world.nodes.some((node) => !file.world.views.has(node));
        return simple(srv6SidUnreachable, nodeResource(head), [shareOf(trouble)], trouble.source, {
          details: { sid: trouble.detail['sid'] ?? '', prefix: trouble.detail['prefix'] ?? '' },
          remedy: { node: head, summary: `steer ${trouble.detail['prefix']} of ${mark(head)} to a SID that exists` },
          ...(silent ? { withheld: 'a node that did not answer may have this SID' } : {}),
        });
      }),
};
