import type { Database, PrismaTransaction } from './open-database.js';

/** Waiting for a connection, and working on it. */
const limits = { maxWait: 10_000, timeout: 20_000 };

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** A unique index refuses the row. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === 'P2002';

/** A referenced row is gone, or a referring row prevents a deletion. */
export const isReferenceViolation = (error: unknown): boolean => codeOf(error) === 'P2003';

/** Runs work in one transaction; the change and its log entry are committed together. */
export const inTransaction = <T>(database: Database, work: (tx: PrismaTransaction) => Promise<T>): Promise<T> =>
  database.prisma.$transaction(work, limits);
