import type { VersionAccess } from '@fds/data-access';
import type { CompiledModel } from '@fds/model-schema';
import { searchPropertiesOf, type SearchProperty } from '@fds/search-query';

/** What the caller may search and sort by: DR Key properties that may be seen of some record. */
export const searchedProperties = (
  model: CompiledModel,
  restriction: VersionAccess | undefined,
): readonly SearchProperty[] => {
  const properties = searchPropertiesOf(model);
  return restriction === undefined ? properties : properties.filter(({ name }) => restriction.isEverAllowed(name));
};
