import type { VersionAccess } from '@fds/access-rules';
import type { CompiledModel } from '@fds/model-schema';
import { searchPropertiesOf, type SearchProperty } from '@fds/search';

/** The properties by which the caller may search and sort: DR Key properties that are visible in at least one record. */
export const searchedProperties = (
  model: CompiledModel,
  restriction: VersionAccess | undefined,
): readonly SearchProperty[] => {
  const properties = searchPropertiesOf(model);
  return restriction === undefined ? properties : properties.filter(({ name }) => restriction.isEverAllowed(name));
};
