import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLeftovers } from '../../harness/leftovers.js';
import { openFuzzStage, type FuzzStage } from '../open-fuzz-stage.js';
import { hostilePieces, maxPieceMs, measurePieces } from './measure-pieces.js';

/** Inputs that took a piece of up to 35 seconds once, and are answered soon. */
const inputs = [
  'POST /graphql: wrong elements of a variable',
  'POST /graphql: inputs with wrong members',
  'POST /graphql: unknown variables',
  'websocket /graphql: wrong elements of a variable',
  'POST /domains/{d}/versions: 999 large patterns',
  'POST /domains/{d}/versions: 999 patterns of categories',
  'POST /domains/{d}/versions: many key properties',
  'POST /zones/{z}/inbound-acls: wrong entries',
  'POST /zones/{z}/adaptors: wide metadata',
  'POST /zones/{z}/adaptors: wrong capabilities',
  'POST /drs: a list of items that are not objects',
  'POST /drs: one long number',
  'POST /drs: JSON that does not end',
  'POST /drs/bulk text/csv: empty cells',
  'POST /graphql: a long sort',
  'POST /graphql: a long block text',
  'POST /request: a long sort',
  'POST /zones/{z}/acls/dry-run: JSON in a text',
  'POST /domains/{d}/versions: a long enum with a pattern',
  'websocket /graphql: a subscription with many events',
] as const;

/** Processor time on a machine whose caches other work uses too is longer. */
const boundMs = 2 * maxPieceMs;

describe('one request', () => {
  const leftovers = createLeftovers();
  let stage: FuzzStage;

  beforeAll(async () => {
    stage = await openFuzzStage(leftovers, 1);
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it.each(inputs)(
    'never keeps the service busy for long in one piece: %s',
    async (name) => {
      const found = hostilePieces.filter(({ door, input }) => `${door}: ${input}` === name);
      expect(found).toHaveLength(1);
      for await (const { ms } of measurePieces(stage, found, 4)) expect(ms).toBeLessThan(boundMs);
    },
    120_000,
  );
});
