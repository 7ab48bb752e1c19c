import { inSpan } from '@fds/service';
import type { Database, PrismaTransaction } from './open-database.js';
import { transactionSpan } from './transaction-span.js';

/** Limits in milliseconds: to wait for a connection, and to finish the work. */
const limits = { maxWait: 10_000, timeout: 20_000 };

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Did a unique index refuse the row? */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === 'P2002';

/** Does a referenced row no longer exist, or does a referring row prevent a deletion? */
export const isReferenceViolation = (error: unknown): boolean => codeOf(error) === 'P2003';

/** Runs work in one transaction, so that a change and its log entry are committed together. */
export const inTransaction = <T>(database: Database, work: (tx: PrismaTransaction) => Promise<T>): Promise<T> =>
  inSpan(transactionSpan, (span) =>
    database.prisma.$transaction(async (tx) => {
      if (span?.isRecorded === true)
        await tx.$executeRaw`SELECT set_config('fds.traceparent', ${span.traceparent}, true)`;
      return work(tx);
    }, limits),
  );
