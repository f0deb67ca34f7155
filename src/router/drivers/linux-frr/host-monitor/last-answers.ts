// When each host that a node remembers last answered one of its looks, under the MAC address that it is remembered with. Bounded in hosts.
import { LIMITS } from '#base/limits.ts';
import type { Host, HostPort } from '#model/router/hosts.ts';
import { makeRoom } from '../../../bounded-maps.ts';

export type LastAnswers = {
  looked(ports: readonly Pick<HostPort, 'ifname' | 'answers'>[], atMs: number): void;
  /** The same hosts, those that answered with their ages. */
  aged(hosts: readonly Host[], nowMs: number): readonly Host[];
};

export function createLastAnswers(): LastAnswers {
  const answers = new Map<string, number>();
  return {
    looked(ports, atMs) {
      for (const { ifname, answers: rows } of ports)
        for (const { address, macs } of rows)
          for (const mac of macs) {
            const key = `${ifname} ${address} ${mac}`;
            answers.delete(key);
            makeRoom(answers, LIMITS.hosts);
            answers.set(key, atMs);
          }
    },
    aged: (hosts, nowMs) =>
      hosts.map((host) => {
        const atMs = answers.get(`${host.ifname} ${host.address} ${host.mac}`);
        return atMs === undefined ? host : { ...host, answeredAgoMs: Math.max(0, Math.round(nowMs - atMs)) };
      }),
  };
}
