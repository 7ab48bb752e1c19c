import { parseJson, stringifyJson } from '@fds/json';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

describe('64-bit integers', () => {
  it.each([9223372036854775807n, -9223372036854775808n, 9007199254740993n, 0n])(
    'keeps %s in bigint, jsonb and text',
    async (integer) => {
      const document = stringifyJson({ key: [integer] });
      const { rows } = await database.pool.query<Record<string, unknown>>(
        'SELECT $1::bigint AS column, $2::jsonb AS jsonb, $2::json AS json, $3::text AS text',
        [integer, document, document],
      );
      const content = parseJson(document);
      expect(rows).toEqual([{ column: integer, jsonb: content, json: content, text: document }]);
      expect(stringifyJson(rows[0]?.['jsonb'])).toBe(document);
    },
  );

  it('keeps every digit in reads and writes of Prisma', async () => {
    const data = stringifyJson({ n: 9223372036854775807n });
    const { position } = await database.prisma.changeLogEntry.create({
      data: { position: 9223372036854775807n, action: 'PUT', resourceType: 'Zone', resource: '/zones/1', data },
    });
    expect(position).toBe(9223372036854775807n);
    expect(await database.prisma.changeLogEntry.findUnique({ where: { position } })).toMatchObject({ position, data });
  });
});
