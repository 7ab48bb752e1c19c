import type { Schema } from './api-document.js';

const nameOf = (reference: unknown): string => String(reference).slice(String(reference).lastIndexOf('/') + 1);

/**
 * A small value that is valid for a schema of the document: only the required members.
 *
 * @param schemas that the schema may refer to
 */
export const sampleOf = (schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown => {
  const { $ref, type, enum: values, oneOf, anyOf, format, items, properties = {}, required = [], minimum } = schema;
  if ($ref !== undefined) return sampleOf(schemas[nameOf($ref)] ?? {}, schemas);
  const [choice] = (oneOf ?? anyOf ?? []) as Schema[];
  if (choice !== undefined) return sampleOf(choice, schemas);
  if (Array.isArray(values)) return values[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(
        (required as string[]).map((name) => [
          name,
          sampleOf((properties as Record<string, Schema>)[name] ?? {}, schemas),
        ]),
      );
    case 'array':
      return [sampleOf(items as Schema, schemas)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return minimum ?? 1;
    case 'string':
      return format === 'uuid' ? '01890000-0000-7000-8000-00000000dead' : 'sample';
    default:
      return {};
  }
};
