// An IS-IS speaker in memory: what it announces can be read, its events can be made, and it can end with a reason.
import type { IsisEvent, IsisPort, IsisSpeakRequest } from '#model/router/router-port.ts';

export type FakeIsisPort = IsisPort & {
  /** Requests of all runs so far. */
  readonly requests: readonly IsisSpeakRequest[];
  /** Information that is announced now, in hex; undefined when nobody speaks. */
  readonly announced: string | undefined;
  emit(event: IsisEvent): void;
  /** Ends the run with this reason. */
  end(error: Error): void;
  /** Told to every run as it begins. */
  setArea(events: readonly IsisEvent[]): void;
};

type Run = { readonly onEvent: (event: IsisEvent) => void; readonly reject: (error: Error) => void };

export function createFakeIsisPort(): FakeIsisPort {
  const requests: IsisSpeakRequest[] = [];
  let announced: string | undefined;
  let run: Run | undefined;
  let area: readonly IsisEvent[] = [];
  const over = () => {
    run = undefined;
    announced = undefined;
  };
  return {
    requests,
    get announced() {
      return announced;
    },
    emit: (event) => run?.onEvent(event),
    end(error) {
      const current = run;
      over();
      current?.reject(error);
    },
    setArea(events) {
      area = events;
      for (const event of events) run?.onEvent(event);
    },
    speak: (request, onEvent, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return resolve();
        requests.push(request);
        announced = Buffer.from(request.information).toString('hex');
        run = { onEvent, reject };
        const onAbort = () => {
          over();
          resolve();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        for (const event of area) onEvent(event);
      }),
    async announce(_ifname, information) {
      if (run !== undefined) announced = Buffer.from(information).toString('hex');
    },
  };
}
