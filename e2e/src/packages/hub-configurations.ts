import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { JsonObject } from '@fds/adaptor-sdk';
import type { HubOptions } from '@fds/adaptor-sdk/testing';

/** Configuration of an adaptor for the hub of the conformance kit. */
export interface HubConfiguration {
  readonly domain: string;
  readonly drKeyProperties: readonly string[];
  readonly modelSchema: JsonObject;
  /** In texts, `FOLDER` is the folder of its source. */
  readonly metadata: JsonObject;
  /** Creates the source. */
  readonly prepare?: (folder: string) => void;
}

const text = { type: 'string' };

export const supplierSource = (file: string): void => {
  const source = new Database(file);
  source.exec(`CREATE TABLE supplier (id TEXT PRIMARY KEY, name TEXT, number INTEGER, changed TEXT NOT NULL);
    INSERT INTO supplier VALUES ('7', 'Ironworks', 9007199254740993, '2026-01-01 00:00:00.000000')`);
  source.close();
};

export const supplierMetadata = (file: string): JsonObject => ({
  databases: { source: { type: 'JDBC', properties: { jdbcUrl: `jdbc:sqlite:${file}` } } },
  tables: [
    {
      domain: 'supplier',
      version: 1,
      dataSource: { name: 'source', tableName: 'supplier' },
      primaryKeySpecs: [{ type: 'DOMAIN', id: { columnType: 'STRING', required: true } }],
      timestampSpec: { columnName: 'changed', type: 'TIMESTAMP', precision: 'MICROSECONDS' },
      dataColumns: {
        id: { source: 'id', columnType: 'STRING' },
        name: { source: 'name', columnType: 'STRING' },
      },
      // an expression needs the thread of the package, and has to keep an integer of 64 bits on each release of Node
      mapping: { toRecord: { label: '$string({"number": number})' } },
    },
  ],
});

/** By the name of the package. */
export const hubConfigurations: Readonly<Record<string, HubConfiguration>> = {
  'database-adaptor': {
    domain: 'supplier',
    drKeyProperties: ['id'],
    modelSchema: { properties: { id: text, name: text, label: text } },
    metadata: supplierMetadata('FOLDER/suppliers.sqlite'),
    prepare: (folder) => supplierSource(join(folder, 'suppliers.sqlite')),
  },
  'file-system-adaptor': {
    domain: 'file',
    drKeyProperties: ['adaptorUuid', 'sourceUri'],
    modelSchema: {
      properties: {
        adaptorUuid: text,
        sourceUri: text,
        intermediateUri: text,
        destinationUri: text,
        action: { type: 'string', enum: ['NEW', 'UPDATED', 'DELETED'] },
        contentLength: { type: 'integer' },
        additionalParameters: {
          type: 'array',
          items: { type: 'object', properties: { key: text, value: text }, required: ['key', 'value'] },
        },
      },
      required: ['adaptorUuid', 'sourceUri', 'action', 'contentLength'],
    },
    metadata: { type: 'source', paths: [{ domain: 'file', version: '1', uri: 'file://FOLDER/files' }] },
    prepare: (folder) => mkdirSync(join(folder, 'files')),
  },
  'temporal-adaptor': {
    domain: 'supplier',
    drKeyProperties: ['id'],
    modelSchema: { properties: { id: text, name: text } },
    metadata: {},
  },
};

/** The part of a configuration for the hub. */
export const hubOptions = (configuration: HubConfiguration, folder: string): HubOptions => {
  const { domain, drKeyProperties, modelSchema, metadata } = configuration;
  return {
    capabilities: ['POST', 'PUT', 'DELETE', 'GET'].map((action) => ({ domainName: domain, versionNumber: 1, action })),
    domainVersions: [{ domain, version: 1, domainVersionUuid: randomUUID(), drKeyProperties, modelSchema }],
    metadata: JSON.parse(JSON.stringify(metadata).replaceAll('FOLDER', folder)) as JsonObject,
    patienceMs: 30_000,
  };
};

/** The table of exit codes in a README. */
export const documentedExitCodes = (readme: string): readonly number[] =>
  [...readFileSync(readme, 'utf8').matchAll(/^\| (\d+) +\| .*\|$/gm)].map(([, code]) => Number(code));
