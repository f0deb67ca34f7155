// NETCONF's operations as functions (RFC 6241): reading, the candidate, commits that undo themselves. `validate` before `commit` is not sent:
// netconfd 2.13 then answers ok to the commit and changes nothing, so whoever commits reads the running configuration back.
import type { NetconfSession } from './session.ts';
import { child, escapeXml, type XmlElement } from './xml.ts';

export type Datastore = 'running' | 'candidate' | 'startup';

export type ConfirmedCommit = { readonly timeoutSeconds: number; readonly persist?: string };

export type NetconfOperations = {
  /** `filter` is a subtree, trusted XML of our own making. */
  get(filter?: string): Promise<XmlElement>;
  getConfig(source: Datastore, filter?: string): Promise<XmlElement>;
  /** `config` is what stands inside `<config>`. */
  editConfig(target: Datastore, config: string): Promise<void>;
  lock(target: Datastore): Promise<void>;
  unlock(target: Datastore): Promise<void>;
  discardChanges(): Promise<void>;
  commit(confirmed?: ConfirmedCommit, persistId?: string): Promise<void>;
  cancelCommit(persistId?: string): Promise<void>;
  subscribe(): Promise<void>;
};

const NOTIFICATIONS = 'urn:ietf:params:xml:ns:netconf:notification:1.0';

export function createNetconfOperations(session: NetconfSession): NetconfOperations {
  const filtered = (filter?: string) => (filter === undefined ? '' : `<filter type="subtree">${filter}</filter>`);
  const dataOf = (reply: XmlElement): XmlElement =>
    child(reply, 'data') ?? { name: 'data', attributes: {}, children: [], text: '' };
  const send = async (body: string) => void (await session.rpc(body));
  return {
    get: async (filter) => dataOf(await session.rpc(`<get>${filtered(filter)}</get>`)),
    getConfig: async (source, filter) =>
      dataOf(await session.rpc(`<get-config><source><${source}/></source>${filtered(filter)}</get-config>`)),
    editConfig: (target, config) =>
      send(`<edit-config><target><${target}/></target><config>${config}</config></edit-config>`),
    lock: (target) => send(`<lock><target><${target}/></target></lock>`),
    unlock: (target) => send(`<unlock><target><${target}/></target></unlock>`),
    discardChanges: () => send('<discard-changes/>'),
    commit: (confirmed, persistId) =>
      send(`<commit>${confirmedXml(confirmed)}${leaf('persist-id', persistId)}</commit>`),
    cancelCommit: (persistId) => send(`<cancel-commit>${leaf('persist-id', persistId)}</cancel-commit>`),
    subscribe: () => send(`<create-subscription xmlns="${NOTIFICATIONS}"/>`),
  };
}

function confirmedXml(confirmed: ConfirmedCommit | undefined): string {
  if (confirmed === undefined) return '';
  return `<confirmed/><confirm-timeout>${Math.round(confirmed.timeoutSeconds)}</confirm-timeout>${leaf('persist', confirmed.persist)}`;
}

function leaf(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<${name}>${escapeXml(value)}</${name}>`;
}
