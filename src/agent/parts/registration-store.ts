// The registration store of an aggregator, as its configuration names it.
import { readFile } from 'node:fs/promises';
import { createEtcdClient } from '#aggregate/store/etcd-client.ts';
import { createEtcdStore } from '#aggregate/store/etcd-store.ts';
import type { RegistrationStore } from '#aggregate/store/store.ts';
import { isAllowedUrl } from '#aggregate/wire/http-link.ts';
import type { Clock } from '#base/clock.ts';
import { ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { AggregateConfig } from '#config/aggregate-schema.ts';

/** Undefined where none is configured. Rejects with `caller/config-invalid`. */
export async function openRegistrationStore(
  { store }: AggregateConfig,
  parts: { readonly aggregatorId: string; readonly clock: Clock; readonly log: Log },
): Promise<RegistrationStore | undefined> {
  if (store === undefined) return undefined;
  const { etcd, tree, place, leaseSeconds, ca, certificate, key } = store;
  for (const url of etcd)
    if (!isAllowedUrl(url))
      throw new ParleyError(
        'caller/config-invalid',
        `store.etcd: expected https, or http on the loopback address, got ${url}`,
      );
  const pem = async (file: string | undefined, name: string) =>
    file === undefined ? {} : { [name]: await readFile(file, 'utf8') };
  const tls = { ...(await pem(ca, 'ca')), ...(await pem(certificate, 'cert')), ...(await pem(key, 'key')) };
  const client = createEtcdClient({ urls: etcd, tls, clock: parts.clock });
  return createEtcdStore({ ...parts, client, tree, place, ttlSeconds: leaseSeconds });
}
