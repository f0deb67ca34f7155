// NETCONF's operations as functions (RFC 6241): reading, the candidate, commits that undo themselves. The caller of a commit reads the running
// configuration back: netconfd 2.13 answers ok to a commit right after `validate` and changes nothing.
import type { NetconfSession } from './session.ts';
import { child, escapeXml, type XmlElement } from './xml.ts';

export type Datastore = 'running' | 'candidate' | 'startup';

export type ConfirmedCommit = { readonly timeoutSeconds: number; readonly persist?: string };

/** The device must have announced :rollback-on-error. */
export type EditOptions = { readonly rollbackOnError?: boolean };

export type NetconfOperations = {
  /** `filter` is a subtree, trusted XML of our own making. */
  get(filter?: string): Promise<XmlElement>;
  getConfig(source: Datastore, filter?: string): Promise<XmlElement>;
  /** `config` is what stands inside `<config>`. */
  editConfig(target: Datastore, config: string, options?: EditOptions): Promise<void>;
  lock(target: Datastore): Promise<void>;
  unlock(target: Datastore): Promise<void>;
  validate(source: Datastore): Promise<void>;
  discardChanges(): Promise<void>;
  commit(confirmed?: ConfirmedCommit, persistId?: string): Promise<void>;
  cancelCommit(persistId?: string): Promise<void>;
  copyRunningToStartup(): Promise<void>;
  killSession(sessionId: string): Promise<void>;
  /** All events of the default stream, or of the one named, from now on (RFC 5277). */
  subscribe(stream?: string): Promise<void>;
};

/** Optional capabilities of RFC 6241 §8 and RFC 5277 §3; a device has what its hello says. */
export const CAPABILITIES = {
  candidate: ['urn:ietf:params:netconf:capability:candidate:1.0'],
  /** Only 1.1 knows `persist` and cancel-commit. */
  confirmedCommit: ['urn:ietf:params:netconf:capability:confirmed-commit:1.1'],
  rollbackOnError: ['urn:ietf:params:netconf:capability:rollback-on-error:1.0'],
  validate: ['urn:ietf:params:netconf:capability:validate:1.1', 'urn:ietf:params:netconf:capability:validate:1.0'],
  startup: ['urn:ietf:params:netconf:capability:startup:1.0'],
  notification: ['urn:ietf:params:netconf:capability:notification:1.0'],
} as const;

/** True when the hello holds one of the spellings; parameters after `?` do not matter. */
export function hasCapability(announced: readonly string[], spellings: readonly string[]): boolean {
  return announced.some((capability) => spellings.includes(capability.split('?')[0]!));
}

const NOTIFICATIONS = 'urn:ietf:params:xml:ns:netconf:notification:1.0';

export function createNetconfOperations(session: NetconfSession): NetconfOperations {
  const filtered = (filter?: string) => (filter === undefined ? '' : `<filter type="subtree">${filter}</filter>`);
  const dataOf = (reply: XmlElement): XmlElement =>
    child(reply, 'data') ?? { name: 'data', namespace: '', attributes: {}, children: [], text: '' };
  const send = async (body: string) => void (await session.rpc(body));
  return {
    get: async (filter) => dataOf(await session.rpc(`<get>${filtered(filter)}</get>`)),
    getConfig: async (source, filter) =>
      dataOf(await session.rpc(`<get-config><source><${source}/></source>${filtered(filter)}</get-config>`)),
    editConfig: (target, config, options) => {
      const onError = options?.rollbackOnError ? '<error-option>rollback-on-error</error-option>' : '';
      return send(`<edit-config><target><${target}/></target>${onError}<config>${config}</config></edit-config>`);
    },
    lock: (target) => send(`<lock><target><${target}/></target></lock>`),
    unlock: (target) => send(`<unlock><target><${target}/></target></unlock>`),
    validate: (source) => send(`<validate><source><${source}/></source></validate>`),
    discardChanges: () => send('<discard-changes/>'),
    commit: (confirmed, persistId) =>
      send(`<commit>${confirmedXml(confirmed)}${leaf('persist-id', persistId)}</commit>`),
    cancelCommit: (persistId) => send(`<cancel-commit>${leaf('persist-id', persistId)}</cancel-commit>`),
    copyRunningToStartup: () =>
      send('<copy-config><target><startup/></target><source><running/></source></copy-config>'),
    killSession: (sessionId) => send(`<kill-session>${leaf('session-id', sessionId)}</kill-session>`),
    subscribe: (stream) =>
      send(`<create-subscription xmlns="${NOTIFICATIONS}">${leaf('stream', stream)}</create-subscription>`),
  };
}

function confirmedXml(confirmed: ConfirmedCommit | undefined): string {
  if (confirmed === undefined) return '';
  return `<confirmed/><confirm-timeout>${Math.round(confirmed.timeoutSeconds)}</confirm-timeout>${leaf('persist', confirmed.persist)}`;
}

function leaf(name: string, value: string | undefined): string {
  return value === undefined ? '' : `<${name}>${escapeXml(value)}</${name}>`;
}
