// srv6_locator_missing: nobody has a route to a SID that its node has; srv6_encapsulation_missing: a head has no way to a network
// whose traffic comes to it over SRv6.
// srv6_sid_missing: heads send to a SID within a node's locator that this node does not have; srv6_sid_unreachable: a head sends
// to a SID that belongs to nobody.
import { nodeResource } from '#model/names.ts';
import type { FaultDefinition } from '../../engine/fault-definition.ts';
import { newProposal, shareOf, symptomsOfKind } from '../../engine/proposal.ts';
import { mark } from '../../network/node-ref.ts';

export const srv6SidMissing: FaultDefinition = {
  id: 'srv6_sid_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node lacks an SRv6 SID of its locator that others send to',
  propose: (file) =>
    symptomsOfKind(file, 'srv6')
      .filter(({ detail }) => detail['what'] === 'sid' && detail['owner'] !== undefined)
      .map((symptom) =>
        newProposal(srv6SidMissing, nodeResource(String(symptom.detail['owner'])), [shareOf(symptom)], symptom.source, {
          details: { sid: symptom.detail['sid'] ?? symptom.detail['behavior'] ?? '', what: symptom.text },
          remedy: {
            node: String(symptom.detail['owner']),
            summary: `make SID ${symptom.detail['sid'] ?? symptom.detail['behavior']} on ${mark(String(symptom.detail['owner']))} again`,
          },
        }),
      ),
};

export const srv6SidUnreachable: FaultDefinition = {
  id: 'srv6_sid_unreachable',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a head steers traffic to an SRv6 SID that no node has',
  propose: (file) =>
    symptomsOfKind(file, 'srv6')
      .filter(
        ({ detail }) =>
          detail['what'] === 'sid' &&
          detail['owner'] === undefined &&
          Array.isArray(detail['heads']) &&
          detail['heads'].length === 1,
      )
      .map((symptom) => {
        const head = String((symptom.detail['heads'] as readonly unknown[])[0]);
        const silent = file.world.nodes.some((node) => !file.world.views.has(node));
        return newProposal(srv6SidUnreachable, nodeResource(head), [shareOf(symptom)], symptom.source, {
          details: { sid: symptom.detail['sid'] ?? '', prefix: symptom.detail['prefix'] ?? '' },
          remedy: { node: head, summary: `steer ${symptom.detail['prefix']} of ${mark(head)} to a SID that exists` },
          ...(silent ? { withheld: 'a node that did not answer may have this SID' } : {}),
        });
      }),
};

export const srv6LocatorMissing: FaultDefinition = {
  id: 'srv6_locator_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a node does not announce the locator of its SIDs, so that nobody has a route to them',
  propose: (file) =>
    symptomsOfKind(file, 'srv6')
      .filter(({ detail }) => detail['what'] === 'locator')
      .map((symptom) => {
        const owner = String(symptom.detail['owner']);
        return newProposal(srv6LocatorMissing, nodeResource(owner), [shareOf(symptom)], symptom.source, {
          details: symptom.detail,
          remedy: {
            node: owner,
            summary: `announce the locator of SID ${symptom.detail['sid']} on ${mark(owner)} again`,
          },
        });
      }),
};

export const srv6EncapsulationMissing: FaultDefinition = {
  id: 'srv6_encapsulation_missing',
  resource: 'node',
  accuses: true,
  labels: { nika: null, netOpsBench: null },
  summary: 'a head no longer puts the traffic for a network into SRv6, though that network’s traffic for it comes so',
  propose: (file) =>
    symptomsOfKind(file, 'srv6')
      .filter(({ detail }) => detail['what'] === 'encapsulation')
      .map((symptom) => {
        const head = String(symptom.detail['head']);
        return newProposal(srv6EncapsulationMissing, nodeResource(head), [shareOf(symptom)], symptom.source, {
          details: symptom.detail,
          remedy: {
            node: head,
            summary: `steer ${symptom.detail['address']} on ${mark(head)} into SRv6 as the others do`,
          },
        });
      }),
};
