import { parseJson } from '@fds/json';
import pg from 'pg';

const int8 = 20;
const json = 114;
const jsonb = 3802;

/**
 * Parsers for raw SQL that keep every digit. A `bigint` column always becomes a bigint. An integer inside JSON becomes
 * a bigint if it is beyond 2^53.
 */
export const exactTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary');
    if (oid === int8) return BigInt;
    if (oid === json || oid === jsonb) return parseJson;
    return pg.types.getTypeParser(oid, 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

const asText = (text: string): string => text;

/** The same parsers, but JSON stays text, for readers that pass it on or parse it later. */
export const exactTypesWithJsonText: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === json || oid === jsonb
      ? asText
      : exactTypes.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};
