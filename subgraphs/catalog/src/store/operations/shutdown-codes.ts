import { createHash } from 'node:crypto';
import { AppError } from '@fds/errors';
import type { StoreTools } from '../catalog-writer.js';

/** Codes of the two-step shutdown: the latest of an adaptor, for one use within ten minutes. Kept is a digest. */
export interface ShutdownCodes {
  /** Makes the code of an adaptor that exists; an earlier one is worth nothing from now on. */
  issue(adaptorUuid: string): Promise<string>;
  /** Uses the code up. @throws AppError WRONG_SHUTDOWN_CODE */
  redeem(adaptorUuid: string, code: string): Promise<void>;
}

const lifetimeMs = 10 * 60_000;

const digestOf = (code: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(createHash('sha256').update(code.toLowerCase()).digest());

/** @param newCode a uuid of which nothing can be guessed */
export const createShutdownCodes = ({
  database: { prisma },
  now,
  newCode,
}: Pick<StoreTools, 'database' | 'now'> & { readonly newCode: () => string }): ShutdownCodes => ({
  issue: async (adaptorUuid) => {
    const code = newCode();
    const row = { codeDigest: digestOf(code), expiresAt: new Date(now().getTime() + lifetimeMs) };
    await prisma.adaptorShutdownCode.upsert({
      where: { adaptorUuid },
      create: { adaptorUuid, ...row },
      update: row,
    });
    return code;
  },
  redeem: async (adaptorUuid, code) => {
    const { count } = await prisma.adaptorShutdownCode.deleteMany({
      where: { adaptorUuid, codeDigest: digestOf(code), expiresAt: { gt: now() } },
    });
    if (count === 0) {
      throw new AppError(
        'WRONG_SHUTDOWN_CODE',
        'the code is not the adaptor’s latest, was used, or is older than ten minutes',
      );
    }
  },
});
