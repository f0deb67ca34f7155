// Whose session an unconfirmed change belongs to (RFC 6241 §8.4): a change without `persist` is undone as soon as the session that made
// it ends, for whatever reason, and only that session confirms it. The death of this process ends all of them.
import { messageOf, ParleyError } from '#base/error.ts';
import type { Log } from '#base/log.ts';
import type { CommitView, ConfigurationPort } from '#model/router/configuration.ts';

export type Holds = {
  /** Rejects with `caller/session-lost` when the session has ended already; the change is then undone. */
  begin(commit: CommitView, holder: string, sessionEnded: AbortSignal | undefined): Promise<void>;
  /** Throws `caller/not-yours` when the open change is another session's. */
  checkSession(sessionEnded: AbortSignal | undefined): void;
};

export function createHolds(parts: { readonly configuration: ConfigurationPort; readonly log: Log }): Holds {
  const { configuration, log } = parts;
  /** The open change without `persist`, of which there is one at most. */
  let held: { readonly id: string; readonly sessionEnded: AbortSignal | undefined } | undefined;
  return {
    async begin(commit, holder, sessionEnded) {
      if (!commit.persist && sessionEnded?.aborted) {
        await configuration.cancel(holder, 'the session was lost', undefined, commit.id);
        throw new ParleyError('caller/session-lost', 'expected a session that waits for its change, it had ended');
      }
      // The hold ends with this process, whatever becomes of the session: the helper then undoes what does not persist.
      const released = new AbortController();
      const undo = () => {
        configuration
          .cancel(holder, 'the session was lost', undefined, commit.id)
          .catch((error) =>
            log.warn('a change of a lost session is undone by the helper', { reason: messageOf(error) }),
          )
          // When the helper could not be asked, or has settled the change, it learns at least that no session holds the change.
          .finally(() => released.abort(new Error('the session was lost')));
      };
      if (!commit.persist) {
        held = { id: commit.id, sessionEnded };
        sessionEnded?.addEventListener('abort', undo, { once: true });
      }
      const settled = () => {
        sessionEnded?.removeEventListener('abort', undo);
        if (held?.id === commit.id) held = undefined;
      };
      configuration.hold(commit.id, released.signal).then(settled, async (error) => {
        // A change that no session holds would outlive its session: it is undone, and stays its session's until it is known to be settled.
        const reason = messageOf(error);
        if (commit.persist || released.signal.aborted) {
          log.info('hold of a change ended', { commit: commit.id, reason });
          return settled();
        }
        log.warn('a change could not be held and is undone', { commit: commit.id, reason });
        await undoOpen(configuration, commit, holder).then(settled, (failed) =>
          log.warn('a change that no session holds is not undone yet', {
            commit: commit.id,
            reason: messageOf(failed),
          }),
        );
      });
    },
    checkSession(sessionEnded) {
      if (held === undefined || held.sessionEnded === undefined || held.sessionEnded === sessionEnded) return;
      throw new ParleyError(
        'caller/not-yours',
        'expected the session that made the change, or its persist-id, got another session',
      );
    },
  };
}

/** Resolves when the change is open no more; another change that is open by now is not touched. */
async function undoOpen(configuration: ConfigurationPort, commit: CommitView, holder: string): Promise<void> {
  if ((await configuration.open())?.id !== commit.id) return;
  await configuration.cancel(holder, 'the change could not be held', undefined, commit.id);
}
