import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AdaptorConfiguration } from '@fds/adaptor-sdk';
import { checkConfiguration } from './check-configuration.js';
import { testSources, type TestSource } from '../testing/test-sources.js';

let source: TestSource;
beforeAll(async () => {
  source = await testSources.SQLite.open();
  await source.run(
    'CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT)',
    'CREATE TABLE contact (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city_id INTEGER, status TEXT)',
    `INSERT INTO city VALUES (1, 'Paris')`,
    `INSERT INTO contact VALUES (1, 'Not', 'Shown', 1, 'X'), (2, 'Ada', 'Lovelace', 1, 'A')`,
  );
});
afterAll(() => source?.dispose());

const configurationOf = (
  mapping: Readonly<Record<string, unknown>>,
  rowFilter = `status = 'A'`,
): AdaptorConfiguration =>
  ({
    metadata: {
      databases: { main: { type: 'JDBC', properties: source.properties } },
      tables: [
        {
          domain: 'thing',
          version: 1,
          primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'LONG' } }],
          dataColumns: { id: { source: 'id', columnType: 'LONG' } },
          dataSource: { name: 'main', tableName: 'contact' },
          rowFilter,
          mapping,
        },
      ],
    },
    capabilities: [{ domainName: 'thing', version: 1 }],
    domainVersions: [
      {
        domain: 'thing',
        version: 1,
        drKeyProperties: ['id'],
        modelSchema: { properties: { id: { type: 'integer' }, name: { type: 'string' }, city: { type: 'string' } } },
      },
    ],
  }) as unknown as AdaptorConfiguration;

const valid = {
  toRecord: { name: `first_name & ' ' & last_name`, city: `$lookup('city', city_id).name` },
  toRow: { first_name: `$substringBefore(name, ' ')`, last_name: `$substringAfter(name, ' ')` },
  lookups: { city: { table: 'city', key: 'id', columns: ['name'] } },
};

it('shows the message and the statement for an example row, and the properties that are read-only', async () => {
  const { examples, warnings } = await checkConfiguration(configurationOf(valid));
  expect(examples).toEqual([
    'example thing:1: the row ["2"] would be sent as {"id":2,"name":"Ada Lovelace","city":"Paris"}',
    'example thing:1: its record would be written as UPDATE contact SET first_name = "Ada", last_name = "Lovelace"',
  ]);
  expect(warnings).toEqual([
    'thing:1: city is read-only, because no expression of mapping.toRow reads it: a message is applied without it',
  ]);
});

it('shows the fault of an expression with an example row', async () => {
  const { examples } = await checkConfiguration(configurationOf({ toRecord: { name: 'first_name + 1' } }));
  expect(examples[0]).toMatch(/^example thing:1: contact \["2"\]: The expression of name in mapping.toRecord fails: /);
  expect(examples[0]).not.toContain('Ada');
});

it.each([
  [
    { toRecord: { name: 'first_name &' } },
    /^the metadata is not valid: \/tables\/0\/mapping\/toRecord\/name: .*position 12/,
  ],
  [{ toRecord: { id: 'id' } }, /\/tables\/0\/mapping\/toRecord\/id: is the source of a data column already/],
  [{ toRow: { id: 'id' } }, /\/tables\/0\/mapping\/toRow\/id: is a data column already/],
  [{ codes: { sex: { m: 'male', M: 'male' } } }, /\/tables\/0\/mapping\/codes\/sex\/M: has the value of the code "m"/],
  [{ torecord: {} }, /\/tables\/0\/mapping\/torecord: is not known \(nearest: "toRecord"\)/],
  [
    { toRecord: { nam: 'first_name' } },
    /\/tables\/0\/mapping\/toRecord\/nam: thing:1 has no property "nam" \(nearest: "name"\)/,
  ],
  [{ toRecord: { name: 'frist_name' } }, /\/tables\/0\/mapping\/toRecord\/name: contact has no column "frist_name"/],
  [{ toRow: { first_nam: 'name' } }, /\/tables\/0\/mapping\/toRow\/first_nam: contact has no column "first_nam"/],
  [{ toRow: { first_name: 'nam' } }, /\/tables\/0\/mapping\/toRow\/first_name: thing:1 has no property "nam"/],
  [
    { lookups: { city: { table: 'town', key: 'id', columns: ['name'] } } },
    /\/mapping\/lookups\/city\/table: there is no table "town"/,
  ],
  [
    { lookups: { city: { table: 'city', key: 'id', columns: ['nam'] } } },
    /\/mapping\/lookups\/city\/columns\/0: city has no column "nam"/,
  ],
])('names the place of a fault: %j', async (mapping, message) => {
  await expect(checkConfiguration(configurationOf(mapping))).rejects.toThrow(message);
});

it('names a column of the row filter that does not exist', async () => {
  await expect(checkConfiguration(configurationOf(valid, `stauts = 'A'`))).rejects.toThrow(
    /\/tables\/0\/rowFilter: contact has no column "stauts"/,
  );
});
