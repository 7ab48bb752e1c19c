import { createHash } from 'node:crypto';
import type { Principal } from '@fds/auth';
import { inTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';

/**
 * Codes of the two-step shutdown. Only the latest code of an adaptor works, once and within ten minutes. Only a digest
 * is stored.
 */
export interface ShutdownCodes {
  /** Creates a code for an existing adaptor. An earlier code is no longer valid. */
  issue(adaptorUuid: string): Promise<string>;
  /** Uses up the code. The change log contains the actor. @throws AppError WRONG_SHUTDOWN_CODE */
  redeem(
    adaptor: { readonly zoneUuid: string; readonly adaptorUuid: string },
    code: string,
    principal: Principal,
  ): Promise<void>;
}

const lifetimeMs = 10 * 60_000;

const digestOf = (code: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createHash('sha256').update(code.toLowerCase()).digest());

/** @param newCode a uuid that cannot be guessed */
export const createShutdownCodes = ({
  database,
  now,
  newCode,
}: Pick<StoreTools, 'database' | 'now'> & { readonly newCode: () => string }): ShutdownCodes => ({
  issue: async (adaptorUuid) => {
    const code = newCode();
    const row = { codeDigest: digestOf(code), expiresAt: new Date(now().getTime() + lifetimeMs) };
    await database.prisma.adaptorShutdownCode.upsert({
      where: { adaptorUuid },
      create: { adaptorUuid, ...row },
      update: row,
    });
    return code;
  },
  redeem: ({ zoneUuid, adaptorUuid }, code, principal) =>
    inTransaction(database, async (tx) => {
      const { count } = await tx.adaptorShutdownCode.deleteMany({
        where: { adaptorUuid, codeDigest: digestOf(code), expiresAt: { gt: now() } },
      });
      if (count === 0) {
        throw new AppError(
          'WRONG_SHUTDOWN_CODE',
          'the code is not the adaptor’s latest, was used, or is older than ten minutes',
        );
      }
      await logAs(tx, principal, {
        action: 'PUT',
        resourceType: 'Adaptor',
        resource: `/zones/${zoneUuid}/adaptors/${adaptorUuid}/shutdown`,
        resourceUuid: adaptorUuid,
        zoneUuid,
        data: { uuid: adaptorUuid, zoneUuid },
      });
    }),
});
