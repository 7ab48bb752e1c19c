const legalName = /^(?!__)[A-Za-z_][0-9A-Za-z_]*$/;

/** GraphQL gives these names other meanings (specification, section 3.9). */
const reserved: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** A longer list stays text: every schema that has the type holds all its values. */
const maxValues = 1000;

/** Can the values be those of a GraphQL enum? */
export const isGraphqlEnum = (values: readonly string[]): boolean =>
  values.length <= maxValues && values.every((value) => legalName.test(value) && !reserved.has(value));
