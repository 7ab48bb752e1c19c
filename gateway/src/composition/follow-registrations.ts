import { openChangeLogReader, type Database } from '@fds/database';
import type { Lifetime, Log } from '@fds/service';

/** The fields of an adaptor's change log entry that concern its sessions. */
export interface AdaptorChange {
  readonly action: string;
  readonly data: unknown;
}

/**
 * When the sessions of the adaptor must end: epoch ms, 0 for at once. They end when the adaptor is deleted or
 * deactivated. A new secret ends them at once, because they may have begun with a token. It ends them again when the
 * old secret expires: until then an adaptor can reconnect with the old one. Other changes do not end sessions.
 */
export const endsOfSessions = ({ action, data }: AdaptorChange): readonly number[] => {
  if (action === 'DELETE') return [0];
  const said: { readonly active?: unknown; readonly oldSecretUntil?: unknown } =
    typeof data === 'object' && data !== null ? data : {};
  if (said.active === false) return [0];
  return typeof said.oldSecretUntil === 'number' ? [0, said.oldSecretUntil] : [];
};

export interface RegistrationFollowing {
  readonly database: Database;
  readonly lifetime: Lifetime;
  readonly log: Log;
  /** Ends the live sessions of an adaptor. */
  readonly disconnect: (adaptorUuid: string) => void;
}

/** Ends the sessions of adaptors that were deactivated, deleted or given a new secret, see `endsOfSessions`. */
export const followRegistrations = async ({
  database,
  lifetime,
  log,
  disconnect,
}: RegistrationFollowing): Promise<void> => {
  const timers = new Set<NodeJS.Timeout>();
  lifetime.onClose(() => timers.forEach((timer) => clearTimeout(timer)));

  const endAt = (adaptorUuid: string, time: number): void => {
    const remaining = time - Date.now();
    if (remaining <= 0) return disconnect(adaptorUuid);
    const timer = setTimeout(() => {
      timers.delete(timer);
      disconnect(adaptorUuid);
    }, remaining);
    timers.add(timer.unref());
  };

  const reader = await openChangeLogReader({
    database,
    name: 'broker',
    from: 'now',
    resourceTypes: ['Adaptor'],
    log,
    onChanges: (changes) => {
      for (const { resourceUuid, action, data } of changes) {
        if (resourceUuid === undefined) continue;
        for (const end of endsOfSessions({ action, data })) endAt(resourceUuid, end);
      }
    },
  });
  lifetime.own(reader);
};
