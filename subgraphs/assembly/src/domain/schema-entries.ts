import type { VersionAccess } from '@fds/access-rules';
import type { RequestedProperty } from './requested-properties.js';

/**
 * `{name, propertyType}` of the properties at the top level that the records of the answer can have
 * (docs/reference/assembly.md#response): the requested ones, except those that the caller may not see in any
 * record.
 */
export const schemaEntries = (
  requested: readonly RequestedProperty[],
  restriction: VersionAccess | undefined,
): { name: string; propertyType: string }[] =>
  requested
    .filter(({ property }) => restriction?.isEverAllowed(property.name) !== false)
    .map(({ property: { name, type } }) => ({ name, propertyType: type.toUpperCase() }));
