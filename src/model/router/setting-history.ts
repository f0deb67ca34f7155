// Changes of a node's settings, as the node itself remembers them: what an interface, a session, a route or a filter was set to before, and
// what it is set to now. Values are words for people and equal exactly if the settings are; they never carry a secret.
import * as z from 'zod';
import { MODEL_LIMITS } from '../limits.ts';
import { count, oneOf, type Wire } from '../wire/fields.ts';
import { rememberedRules } from '../wire/filter-rule.ts';

/**
 * What changed, by the subject that it belongs to:
 * - `mtu`, `admin` (`up` or `shut`), `address` (all but link-local ones): an interface;
 * - `master`: an interface: the bridge, bond or VRF that it is a port of;
 * - `metric`: an interface, `setting` is `isis` or `ospf`;
 * - `session`: a BGP peer, `setting` is `remote-as`, `shutdown`, `policies` or `password` (whether there is one);
 * - `announced`: a prefix of this node and its BGP peers: `all`, `none`, or `to` some of them;
 * - `forwarding`: `node` or an interface, `setting` is `ipv4`, `ipv6`, `reverse-path`, `arp`, `srv6-hmac`, `ecmp-hash-ipv4`, `ecmp-hash-ipv6`, `tcp-idle` or
 *   `tcp-midway`;
 * - `policy-rule`: family and priority of a rule that chooses a routing table;
 * - `static-route`: a prefix, `setting` is the interface that its next hop is behind;
 * - `default-route`: `0.0.0.0/0` or `::/0`, where a protocol made it: who, and its next hops;
 * - `filter`: family, table and chain, `setting` names the rule by the start of its digest; what a chain that drops the rest forwards, by the form of
 *   its rules (`accept …`), and that it drops the rest (`policy`);
 * - `daemon`: `running`, `restarted`, `not answering`; with `setting` `version` that of FRR or the kernel, or of a daemon unlike zebra's;
 * - `neighbour`: an interface, `setting` is `lldp`, `isis` or `ospf`;
 * - `commit`: a change of the configuration through Parley, by its id: how it ended, and who agreed to it or asked for it;
 * - `resource`: a mount point, `setting` is `disk`: whether it can be written; `node` or `daemons`, `setting` is `killed`: processes that the kernel
 *   killed for want of memory, on the whole node or in the control groups of its daemons;
 * - `policy`: a named routing policy, as `route-map ADVERTISE`: its statements;
 * - `network`: a prefix that a statement of the configuration brings into BGP: `stated`;
 * - `reboot`, and `agent` (`started`, `stopped`): the node by name.
 */
export const SETTING_KINDS = [
  ...(['mtu', 'admin', 'address', 'metric', 'session', 'announced'] as const),
  ...([
    'forwarding',
    'policy-rule',
    'static-route',
    'default-route',
    'filter',
    'daemon',
    'neighbour',
    'commit',
    'reboot',
    'agent',
    'policy',
    'network',
    'resource',
    'master',
  ] as const),
] as const;
export type SettingKind = (typeof SETTING_KINDS)[number];

const words = z.string().max(MODEL_LIMITS.settingChars);

/** A change without its time. Without `was` the setting was not there before; without `is` it is there no more. */
export type SettingDifference = Wire<typeof settingDifference>;
export const settingDifference = z.object({
  kind: oneOf(SETTING_KINDS),
  subject: words,
  /** Which setting of the subject, where it has several of one kind. */
  setting: words.exactOptional(),
  was: words.exactOptional(),
  is: words.exactOptional(),
  /** Of a packet filter, the rules that `was` is the words of, as data. Absent where there were too many, and in older memories. */
  wasRules: rememberedRules.exactOptional(),
});

export type SettingChange = Wire<typeof settingChange>;
export const settingChange = z
  .object({
    ...settingDifference.shape,
    /** How long ago the new value was seen first: the change was then or before. */
    agoMs: count,
    /** How long ago the old value was seen last, where that was not just before: the change was between the two. */
    fromAgoMs: count.exactOptional(),
  })
  .refine(({ agoMs, fromAgoMs = agoMs }) => fromAgoMs >= agoMs);
