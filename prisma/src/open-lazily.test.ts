import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLazily, type LazyPrisma } from './open-lazily.js';
import { openPrisma } from './open-prisma.js';

describe('a client that is opened with its first use', () => {
  let lazy: LazyPrisma;
  let opened: number;

  beforeEach(() => {
    opened = 0;
    lazy = openLazily(
      () => {
        opened += 1;
        // nothing connects before the first statement
        return openPrisma({ transactions: {}, statements: { query: () => Promise.reject(new Error('no database')) } });
      },
      () => undefined,
    );
  });
  afterEach(() => lazy.close());

  it('is not opened for a caller that only keeps it', () => {
    const { prisma } = lazy;
    expect([typeof prisma, opened]).toEqual(['object', 0]);
  });

  it('is opened once, and has models and transactions', () => {
    const { prisma } = lazy;
    expect([typeof prisma.adaptor.findMany, typeof prisma.$transaction, opened]).toEqual(['function', 'function', 1]);
  });

  it('sends the statements of models', async () => {
    await expect(lazy.prisma.adaptor.count()).rejects.toThrow('no database');
  });

  it('is not opened after it was closed', async () => {
    await lazy.close();
    expect(() => lazy.prisma.adaptor).toThrow('the database is closed');
    expect(opened).toBe(0);
  });
});
