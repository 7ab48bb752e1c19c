import { createHash } from 'node:crypto';

/**
 * The server id under which a reader of the binary log registers: the same after every start, so a reader that died without a
 * word is replaced. The upper half of the range is far from the ids that administrators give to servers.
 *
 * @param attempt how many ids were in use by others
 */
export const serverIdOf = (adaptorUuid: string, database: string, attempt: number): number => {
  const digest = createHash('sha256')
    .update(JSON.stringify([adaptorUuid, database, attempt]))
    .digest();
  return (digest.readUInt32BE() % 2 ** 31) + 2 ** 31;
};
