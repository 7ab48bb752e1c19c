import { createHash } from 'node:crypto';
import type { Principal } from '@fds/auth';
import { inTransaction } from '@fds/database';
import { AppError } from '@fds/errors';
import { logAs, type StoreTools } from '../catalog-writer.js';

/** Codes of the two-step shutdown: the latest of an adaptor, for one use within ten minutes. Kept is a digest. */
export interface ShutdownCodes {
  /** Makes the code of an adaptor that exists; an earlier one is worth nothing from now on. */
  issue(adaptorUuid: string): Promise<string>;
  /** Uses the code up; the change log names the actor. @throws AppError WRONG_SHUTDOWN_CODE */
  redeem(
    adaptor: { readonly zoneUuid: string; readonly adaptorUuid: string },
    code: string,
    principal: Principal,
  ): Promise<void>;
}

const lifetimeMs = 10 * 60_000;

const digestOf = (code: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createHash('sha256').update(code.toLowerCase()).digest());

/** @param newCode a uuid of which nothing can be guessed */
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
