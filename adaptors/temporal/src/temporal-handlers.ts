import {
  ApplyError,
  ConfigurationError,
  type Adaptor,
  type AdaptorConfiguration,
  type AdaptorHandlers,
} from '@fds/adaptor-sdk';
import { assembleVersions } from './assembly/assemble-versions.js';
import { parseTemporalMetadata, type TemporalMetadata } from './configuration/temporal-metadata.js';
import { openEmbeddedSession } from './store/open-embedded-session.js';
import { openPostgresqlSession } from './store/open-postgresql-session.js';
import { openVersionStore } from './store/open-version-store.js';
import type { VersionStore } from './store/version-store.js';

const dayMs = 86_400_000;
const removalMs = 60_000;
const removalSize = 1_000;

/** The current configuration of the adaptor. */
interface Setup {
  readonly store: VersionStore;
  readonly metadata: TemporalMetadata;
  readonly configuration: AdaptorConfiguration;
}

export interface TemporalOptions {
  /** File of the embedded store. */
  readonly file: string;
  readonly now: () => number;
}

/**
 * SQLSTATE classes with which a database refuses values: data exception, integrity constraint, program limit, and the
 * error of a trigger.
 */
const refusalClasses = new Set(['22', '23', '54', 'P0']);

/** The error of an event that the store will never take. Undefined: another attempt may work. */
const refusalOf = (error: unknown): ApplyError | undefined => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^[0-9A-Z]{5}$/.test(code) || !refusalClasses.has(code.slice(0, 2))) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  return new ApplyError(message, { title: 'The store of the history refused the record', cause: error });
};

/** The handlers of a temporal adaptor. `stop` closes the store. */
export const createTemporalHandlers = (adaptor: Adaptor, { file, now }: TemporalOptions): AdaptorHandlers => {
  let setup: Setup | undefined;
  let isUp = true;
  /** Identifies the store in reports. */
  const source = 'store';
  let removal: { readonly timer: NodeJS.Timeout; readonly controller: AbortController } | undefined;
  let removing: Promise<void> = Promise.resolve();

  const openStore = async ({ store }: TemporalMetadata): Promise<VersionStore> => {
    const session = store === undefined ? openEmbeddedSession(file) : openPostgresqlSession(store);
    try {
      return await openVersionStore(session, adaptor.adaptorUuid);
    } catch (cause) {
      await session.close();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConfigurationError(`the store cannot be opened: ${reason}`, { retry: 'SOON', cause });
    }
  };

  const requireSetup = (): Setup => {
    if (setup === undefined) throw new Error('the adaptor is not configured');
    return setup;
  };

  /** Reports a store that is not available, until work on it succeeds. */
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      isUp = true;
      adaptor.clearSource(source);
      return result;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== undefined) throw refusal;
      isUp = false;
      const reason = `the store of the history is not available: ${error instanceof Error ? error.message : String(error)}`;
      adaptor.reportSource({ source, reason, state: 'ERROR' });
      throw error;
    }
  };

  const removeOlder = async ({ store, metadata: { retentionDays } }: Setup, signal: AbortSignal): Promise<void> => {
    if (retentionDays === undefined) return;
    try {
      const before = now() - retentionDays * dayMs;
      // small steps, because the embedded store cannot answer other requests during a step
      let removed = removalSize;
      while (!signal.aborted && removed === removalSize) removed = await store.removeOlder(before, removalSize);
    } catch (error) {
      adaptor.log.warn({ err: error }, 'old versions could not be removed; the adaptor tries again later');
    }
  };

  const stopRemoval = async (): Promise<void> => {
    clearInterval(removal?.timer);
    removal?.controller.abort();
    removal = undefined;
    await removing;
  };

  return {
    configure: async (configuration) => {
      const metadata = parseTemporalMetadata(configuration.metadata);
      const store = await openStore(metadata);
      const old = setup;
      setup = { store, metadata, configuration };
      await old?.store.close();
      // it discovers no records
      for (const { domain, version } of configuration.domainVersions)
        await adaptor.reportDiscovered({ domain, version, records: 0 });
    },
    play: () => {
      if (removal !== undefined) return;
      const controller = new AbortController();
      const timer = setInterval(() => {
        const present = setup;
        if (present !== undefined) removing = removing.then(() => removeOlder(present, controller.signal));
      }, removalMs);
      timer.unref();
      removal = { timer, controller };
    },
    pause: stopRemoval,
    apply: async ({ domain, version, drUuid, action, sourceAdaptorUuid, transactionUuid, createTime, ...event }) => {
      const { store } = requireSetup();
      const change = {
        drUuid,
        action,
        sourceAdaptorUuid,
        createTime,
        drKeyValues: event.drKeyValues,
        json: event.json,
        ...(event.changed === undefined ? {} : { changed: event.changed }),
        ...(event.read === undefined ? {} : { read: event.read }),
      };
      try {
        await watched(() => store.append({ domain, version }, change, transactionUuid));
      } catch (cause) {
        if (cause instanceof ApplyError) throw cause;
        throw new ApplyError('the event could not be stored', {
          retry: 'UNTIL_IT_WORKS',
          kind: 'SOURCE',
          title: 'The store of the history is not available',
          waitsFor: source,
          cause,
        });
      }
    },
    assemble: (request) => {
      const { store, configuration } = requireSetup();
      const known = configuration.domainVersions.find(
        ({ domain, version }) => domain === request.domain && version === request.version,
      );
      return assembleVersions(store, known?.drKeyProperties, request);
    },
    health: () =>
      Object.fromEntries(
        (setup?.configuration.domainVersions ?? []).map(({ domain, version }) => [
          `${domain}:${version}`,
          isUp ? ('UP' as const) : ('DOWN' as const),
        ]),
      ),
    stop: async () => {
      await stopRemoval();
      await setup?.store.close();
      setup = undefined;
    },
  };
};
