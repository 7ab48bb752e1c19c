import { type Database, inTransaction, logChange } from '@fds/database';
import { builtInTypes } from './domain/adaptors/adaptor-type.js';
import { toAdaptorType, withDefaultCapabilities } from './store/adaptor-types/adaptor-type-rows.js';

export interface BootstrapCatalogOptions {
  readonly database: Database;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
}

/** Advisory lock: only one of the processes that start at the same time creates the types. */
const bootstrapLock = 72_707_372n;

/** Uses SQL, so that a start that finds the types loads as little of Prisma as possible. */
const hasBuiltInTypes = async ({ pool }: Database): Promise<boolean> => {
  const { rows } = await pool.query('SELECT FROM adaptor_type WHERE name = ANY ($1)', [[...builtInTypes.keys()]]);
  return rows.length === builtInTypes.size;
};

/** Creates the built-in adaptor types (docs/reference/adaptor-operations.md#adaptor-types). Idempotent. */
export const bootstrapCatalog = async ({ database, now, newUuid }: BootstrapCatalogOptions): Promise<void> => {
  if (await hasBuiltInTypes(database)) return;
  await inTransaction(database, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(${bootstrapLock})`;
    const names = [...builtInTypes.keys()];
    const present = await tx.adaptorType.findMany({ where: { name: { in: names } }, select: { name: true } });
    for (const [name, secretProperties] of builtInTypes) {
      if (present.some((type) => type.name === name)) continue;
      const [uuid, time] = [newUuid(), now()];
      const row = await tx.adaptorType.create({
        data: {
          uuid,
          name,
          secretProperties: [...secretProperties],
          builtIn: true,
          dateCreated: time,
          lastUpdated: time,
        },
        include: withDefaultCapabilities,
      });
      await logChange(tx, {
        action: 'POST',
        resourceType: 'AdaptorType',
        resource: `/adaptor-types/${uuid}`,
        resourceUuid: uuid,
        data: toAdaptorType(row),
      });
    }
  });
};
