// Reads a profile that came from a file or an operator: refuses parts that are unknown, names that are none, and too much of it.
import { isJsonObject, type JsonValue } from '#base/json.ts';
import { LIMITS } from '#base/limits.ts';
import { bad, ok, type Result } from '#base/result.ts';
import { isNodeName } from '#model/names.ts';
import { NO_PEER, PROFILE_PARTS, type Profile, type ProfileEntry } from '#model/snapshot.ts';

/** How files of earlier versions have `NO_PEER`. */
const FORMER_NO_PEER = 'to nobody';

/** One line of printable text. */
const TEXT = /^[\x20-\x7e]{1,256}$/;

export function readProfile(value: JsonValue | undefined): Result<Profile> {
  if (!isJsonObject(value)) return bad('profile: expected an object');
  const { nodes, told, entries, roundTrips } = value;
  if (![nodes, told, entries, roundTrips].every((list) => Array.isArray(list) && list.length <= LIMITS.baselineEntries))
    return bad(`profile: expected four lists of at most ${LIMITS.baselineEntries}`);
  if (!(nodes as readonly JsonValue[]).every((node) => typeof node === 'string' && isNodeName(node)))
    return bad('profile: expected names of nodes');
  if (!(told as readonly JsonValue[]).every(isText)) return bad('profile: expected what each node told');
  if (!(entries as readonly JsonValue[]).every(isEntry)) return bad('profile: expected entries of known parts');
  if (!(roundTrips as readonly JsonValue[]).every(isBand)) return bad('profile: expected round trips');
  const profile = value as unknown as Profile;
  return ok({ ...profile, entries: profile.entries.map(renamed) });
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && TEXT.test(value);
}

function isEntry(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { part, subject, nodes, value: said, resource, ends = [] } = value;
  return (
    PROFILE_PARTS.some((known) => known === part) &&
    [subject, said, resource].every(isText) &&
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    nodes.every((node) => typeof node === 'string' && isNodeName(node)) &&
    Array.isArray(ends) &&
    ends.every((end) => isJsonObject(end) && isText(end['node']) && isText(end['ifname']))
  );
}

function renamed(entry: ProfileEntry): ProfileEntry {
  return entry.part === 'prefix' && entry.value === FORMER_NO_PEER ? { ...entry, value: NO_PEER } : entry;
}

function isBand(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  return (
    isText(value['from']) &&
    isText(value['to']) &&
    [value['minMs'], value['avgMs']].every((ms) => typeof ms === 'number')
  );
}
