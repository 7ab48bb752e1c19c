import { createHash } from 'node:crypto';

/**
 * The server id that a reader of the binary log uses. It is the same after every start, so that a reader replaces its
 * own dead predecessor. The upper half of the range avoids the ids that administrators usually give to servers.
 *
 * @param attempt number of ids that other readers already used
 */
export const serverIdOf = (adaptorUuid: string, database: string, attempt: number): number => {
  const digest = createHash('sha256')
    .update(JSON.stringify([adaptorUuid, database, attempt]))
    .digest();
  return (digest.readUInt32BE() % 2 ** 31) + 2 ** 31;
};
