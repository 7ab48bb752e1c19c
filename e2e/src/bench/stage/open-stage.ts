import { getToken, signIn, type Client } from '../../harness/client.js';
import { createLeftovers, type Leftovers } from '../../harness/leftovers.js';
import { startService, type Service } from '../../harness/service.js';
import { embeddedDatabaseUrl } from '../../harness/embedded-database.js';

/** A service as it ships, with its own database and broker, and a signed-in data steward. */
export interface Stage {
  readonly service: Service;
  readonly steward: Client;
  /** `Bearer ...` of the steward. */
  readonly authorization: string;
  /** Connection URL of the service's own PostgreSQL. */
  readonly databaseUrl: string;
  /** Disposed of when the work on the stage is finished. */
  readonly leftovers: Leftovers;
}

const interruptionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const interrupt = (): void => reject(new Error('interrupted'));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  });

const openStage = async (leftovers: Leftovers, settings: Readonly<Record<string, string>>): Promise<Stage> => {
  const service = await startService(leftovers, settings);
  const credentials = { ...service, username: 'dgs', password: service.passwords.dgs };
  const [steward, token] = [await signIn(credentials), await getToken(credentials)];
  const databaseUrl = embeddedDatabaseUrl(service.dataDir);
  return { service, steward, authorization: `Bearer ${token}`, databaseUrl, leftovers };
};

/**
 * Opens a stage for some work, and ends everything on it, whether or not the work succeeds.
 *
 * @param signal aborts the work
 * @param settings of the service, in addition to those of the harness
 */
export const onStage = async <T>(
  signal: AbortSignal,
  work: (stage: Stage) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> => {
  const leftovers = createLeftovers();
  try {
    return await Promise.race([openStage(leftovers, settings).then(work), interruptionOf(signal)]);
  } finally {
    await leftovers.dispose();
  }
};
