import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Schema } from './api-document.js';

/** Returns the faults of a value; empty: the value is valid. */
export type SchemaCheck = (schema: Schema, value: unknown) => readonly string[];

type Rewrite = (schema: Schema) => Schema;

const isPlain = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Rewrites every object of a schema, the inner ones first. */
const deeply = (value: unknown, rewrite: Rewrite): unknown => {
  if (Array.isArray(value)) return value.map((item) => deeply(item, rewrite));
  if (!isPlain(value)) return value;
  return rewrite(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, deeply(member, rewrite)])));
};

/** An object with listed members allows no other members, unless the schema says so. */
export const closed: Rewrite = (schema) =>
  isPlain(schema['properties']) && !('additionalProperties' in schema) && 'type' in schema
    ? { ...schema, additionalProperties: false }
    : schema;

/** Any member may be missing, as with `fields`. */
export const partial: Rewrite = ({ required, ...schema }) =>
  Array.isArray(required) ? schema : { required, ...schema };

/** The unchanged schema of the document. */
export const asWritten: Rewrite = (schema) => schema;

const faultText = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath} ${message ?? 'is wrong'} ${JSON.stringify(params)}`;

const schemasId = 'schemas.json';

/** Checks values against rewritten schemas, which may refer to those of the document. */
export const createSchemaCheck = (schemas: Readonly<Record<string, Schema>>, rewrite: Rewrite): SchemaCheck => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, validateFormats: true });
  addFormats.default(ajv);
  const prepare = (schema: unknown): Schema => {
    const local = deeply(schema, rewrite);
    const text = JSON.stringify(local).replaceAll('"#/components/schemas/', `"${schemasId}#/$defs/`);
    return JSON.parse(text) as Schema;
  };
  const definitions = Object.entries(schemas).map(([name, schema]) => [name, prepare(schema)]);
  ajv.addSchema({ $id: schemasId, $defs: Object.fromEntries(definitions) });
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(prepare(schema));
    compiled.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []).map(faultText);
  };
};
