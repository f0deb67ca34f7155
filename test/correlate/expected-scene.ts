// Services that are to be there, on h3 of scope-scene.ts: as the operator says, or as its router saw lately.
import { diagnose } from '#correlate/diagnose.ts';
import type { AskedService, Intent } from '#model/intent.ts';
import type { ServiceProbeResult } from '#model/router/hosts.ts';
import { HOST3, type Scene, sceneOf } from './scope-scene.ts';

export const DNS: AskedService = { name: 'dns', port: 53 };

export const HTTP: AskedService = { name: 'http', port: 80 };

export function said(scene: Scene, service: AskedService): readonly string[] {
  const intent: Intent = {
    ...{ kind: 'reachability', text: '', path: [], encapsulation: 'ip' },
    ...{ destination: HOST3.address, service },
  };
  const { verdict, findings } = diagnose({ ...sceneOf(scene), intent });
  const open = verdict.reasons.filter((reason) => /DNS|HTTP|port \d/.test(reason));
  return findings.length > 0 ? findings.map(({ fault, resource }) => `${fault} ${resource}`) : open;
}

export const serviceProbe = (
  service: 'tcp' | 'udp',
  port: number,
  answer: Partial<ServiceProbeResult>,
): ServiceProbeResult => ({
  ...{ destination: HOST3.address, service, port, sent: 1, answered: true, open: true },
  ...answer,
});

export const REFUSED = { answered: true, open: false };

export const seenOn = (agoMs: number): Scene['states'] => ({
  r3: (state) => ({
    ...state,
    history: {
      ...state.history!,
      services: [{ ifname: 'eth3', address: HOST3.address, service: 'udp', port: 53, agoMs }],
    },
  }),
});

export const found = (scene: Scene) =>
  diagnose(sceneOf(scene)).findings.map(({ fault, resource, confidence }) => [fault, resource, confidence]);
