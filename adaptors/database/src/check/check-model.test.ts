import { describe, expect, it } from '@jest/globals';
import type { AdaptorConfiguration, Capability } from '@fds/adaptor-sdk';
import { parseAdaptorMetadata } from '../configuration/adaptor-metadata.js';
import { checkModel } from './check-model.js';

const capability = (domainName: string, versionNumber = 1): Capability => ({
  domainName,
  versionNumber,
  action: 'POST',
});

const model = {
  properties: {
    email: { type: 'string' },
    name: { type: ['string', 'null'] },
    age: { type: 'integer' },
    open: { type: 'boolean' },
    any: {},
  },
};

const configuration = (
  domainVersions: readonly (readonly [string, number])[] = [['person', 1]],
  capabilities = [capability('person')],
): Pick<AdaptorConfiguration, 'capabilities' | 'domainVersions'> => ({
  capabilities,
  domainVersions: domainVersions.map(([domain, version]) => ({
    domain,
    version,
    domainVersionUuid: '0199d0a0-0000-7000-8000-000000000001',
    drKeyProperties: ['email'],
    modelSchema: model,
  })),
});

const faultsOf = (
  changes: Readonly<Record<string, unknown>>,
  known: ReturnType<typeof configuration> = configuration(),
): string[] => {
  const { tables } = parseAdaptorMetadata({
    databases: { main: { type: 'JDBC', properties: { jdbcUrl: 'jdbc:sqlite:/x' } } },
    tables: [
      {
        domain: 'person',
        version: 1,
        primaryKeySpecs: [{ type: 'DOMAIN', mail: { columnType: 'STRING' } }],
        dataColumns: { mail: { source: 'email', columnType: 'STRING' } },
        dataSource: { name: 'main', tableName: 'person' },
        ...changes,
      },
    ],
  });
  return checkModel(tables, known).map(({ place, message }) => `${place}: ${message}`);
};

const withColumn = (column: string, source: string, columnType: string) => ({
  dataColumns: { mail: { source: 'email', columnType: 'STRING' }, [column]: { source, columnType } },
});

describe('the check of tables against the models', () => {
  it('finds no fault in tables that fit', () => {
    for (const [source, type] of [
      ['name', 'STRING'],
      ['name', 'TIMESTAMP'],
      ['age', 'LONG'],
      ['age', 'DOUBLE'],
      ['open', 'BOOLEAN'],
      ['any', 'JSON'],
      ['any', 'STRING'],
    ] as const) {
      expect(faultsOf(withColumn('c', source, type))).toEqual([]);
    }
  });

  it('reports an unknown property, and the nearest one', () => {
    expect(faultsOf(withColumn('full/name', 'nam', 'STRING'))).toEqual([
      '/tables/0/dataColumns/full~1name/source: person:1 has no property "nam" (nearest: "name")',
    ]);
  });

  it('reports a column type that the property cannot hold', () => {
    expect(faultsOf(withColumn('age', 'age', 'STRING'))).toEqual([
      '/tables/0/dataColumns/age/columnType: STRING does not fit the property "age" of type integer',
    ]);
  });

  it('reports a DR Key property and a key column that are not mapped', () => {
    expect(faultsOf({ dataColumns: { name: { source: 'name', columnType: 'STRING' } } })).toEqual([
      '/tables/0/dataColumns: no column has the DR Key property "email" as its source',
      '/tables/0/primaryKeySpecs/0: a key column of type DOMAIN is one of dataColumns; "mail" is not',
    ]);
  });

  it('reports a domain without a capability, a domain that does not exist, and a version that does not exist', () => {
    expect(faultsOf({ domain: 'persn' })).toEqual([
      '/tables/0/domain: no capability of the adaptor names the domain "persn" (nearest: "person")',
    ]);
    const both = [capability('person'), capability('persn')];
    expect(faultsOf({ domain: 'persn' }, configuration(undefined, both))).toEqual([
      '/tables/0/domain: the server has no version of the domain "persn" that the capabilities name (nearest: "person")',
    ]);
    expect(faultsOf({ version: 2 })).toEqual([
      '/tables/0/version: no capability of the adaptor names version 2 of person; named: 1',
    ]);
  });

  it('skips a table whose model the server did not send', () => {
    const { capabilities, domainVersions } = configuration();
    const without = domainVersions.map(({ domain, version, domainVersionUuid, drKeyProperties }) => ({
      domain,
      version,
      domainVersionUuid,
      drKeyProperties,
    }));
    expect(faultsOf(withColumn('c', 'nam', 'STRING'), { capabilities, domainVersions: without })).toEqual([]);
  });
});
