import type { ModelProperty } from '@fds/model-schema';

/** `{name, propertyType}` of the top-level properties (server.md, Assembly response). */
export const schemaEntries = (properties: readonly ModelProperty[]): { name: string; propertyType: string }[] =>
  properties.map(({ name, type }) => ({ name, propertyType: type.toUpperCase() }));
