import type { Door } from './open-doors.js';
import { typeReference, type Field } from './specified-schema.js';

/** Data of an operation. @throws Error with the whole answer when it has errors */
export const askGraphql = async <Data>(
  door: Door,
  query: string,
  variables?: Readonly<Record<string, unknown>>,
): Promise<Data> => {
  const { body, text } = await door.graphql<Data>(query, variables);
  if (body.errors !== undefined || !body.data) throw new Error(text);
  return body.data;
};

/** Fields of an object type from introspection; empty when the type does not exist. */
export const fieldsOf = async (door: Door, type: string): Promise<ReadonlyMap<string, Field>> => {
  const data = await askGraphql<{ __type: { fields: Field[] } | null }>(
    door,
    `query ($type: String!) { __type(name: $type) { fields { name type { ${typeReference} }
      args { name defaultValue type { ${typeReference} } } } } }`,
    { type },
  );
  return new Map((data.__type?.fields ?? []).map((field) => [field.name, field]));
};
