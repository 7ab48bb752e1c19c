/** A JSON Schema (2020-12) of OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Named schemas of the document. A name stands for one schema. */
export interface SchemaRegistry {
  /**
   * Registers a schema and returns a reference to it. Schemas of one name may differ only in optional members; the name
   * then stands for a schema with all of these.
   *
   * @throws Error when the name stands for another schema
   */
  refer(name: string, schema: JsonSchema): JsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

const textOf = (value: unknown): string => JSON.stringify(value);

interface ObjectSchema extends JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** Merges two schemas that differ only in optional members. */
const joinOptional = (one: JsonSchema, other: JsonSchema): JsonSchema | undefined => {
  const { properties: ones, ...oneRest } = one as ObjectSchema;
  const { properties: others, ...otherRest } = other as ObjectSchema;
  const shared = Object.keys(ones ?? {}).filter((name) => name in (others ?? {}));
  const agree = shared.every((name) => textOf(ones?.[name]) === textOf(others?.[name]));
  if (!agree || textOf(oneRest) !== textOf(otherRest)) return undefined;
  return { ...oneRest, properties: { ...ones, ...others } };
};

export const createSchemaRegistry = (): SchemaRegistry => {
  const schemas: Record<string, JsonSchema> = {};
  return {
    schemas,
    refer: (name, schema) => {
      const known = schemas[name];
      if (known === undefined || textOf(known) !== textOf(schema)) {
        const joined = known === undefined ? schema : joinOptional(known, schema);
        if (joined === undefined)
          throw new Error(`"${name}" stands for two schemas: name one in \`schemaNames\` of its route`);
        schemas[name] = joined;
      }
      return { $ref: `#/components/schemas/${name}` };
    },
  };
};

/** The registry for a route that gives other names to some types. */
export const withNames = (registry: SchemaRegistry, names: Readonly<Record<string, string>> = {}): SchemaRegistry => ({
  schemas: registry.schemas,
  refer: (name, schema) => registry.refer(names[name] ?? name, schema),
});
