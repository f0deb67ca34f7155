// One finding in few words: the structured hypothesis ("PE-1 egress ACL 2001", TS-18).
import { overText } from '#model/finding.ts';
import type { Proposal } from '../engine/fault-definition.ts';
import { nodeRef } from '../network/node-ref.ts';

/** The structured part of one finding as text, with node references. Of a fault that is resolved it says so. */
export function hypothesisOf(proposal: Pick<Proposal, 'fault' | 'resource' | 'details' | 'headline'>): string {
  return `${proposal.headline ?? namedFault(proposal)}${overText(proposal.details)}`;
}

function namedFault(proposal: Pick<Proposal, 'fault' | 'resource'>): string {
  const node = nodeRef(proposal.resource.split('/')[1] ?? '');
  const [form, ...rest] = proposal.resource.split('/');
  const words = proposal.fault.replaceAll('_', ' ');
  if (form === 'link') {
    const ends = rest
      .join('/')
      .split('--')
      .map((end) => end.split(':'));
    return `${ends.map(([name = '', port = '']) => `${nodeRef(name)} ${port}`).join(' – ')} ${words}`;
  }
  return form === 'interface' ? `${node} ${rest.slice(1).join('/')} ${words}` : `${node} ${words}`;
}
