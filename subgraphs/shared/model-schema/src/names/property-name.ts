import { graphqlPropertyName } from './graphql-names.js';

const propertyName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Names are compared ignoring case (docs/reference/model-schema.md#model-schema). */
export const foldName = (name: string): string => name.toLowerCase();

/** The fault of a property's name, if any (docs/reference/model-schema.md#model-schema). */
export const findNameFault = (name: string): { readonly code: string; readonly detail: string } | undefined => {
  if (!propertyName.test(name)) {
    return {
      code: 'INVALID_NAME',
      detail: 'a name starts with a letter or underscore, has letters, digits, dashes, underscores, at most 64',
    };
  }
  const folded = foldName(name);
  if (folded.startsWith('_fds') || foldName(graphqlPropertyName(name)) === '_dr') {
    return { code: 'RESERVED_NAME', detail: 'names starting with _fds and the name _dr are reserved' };
  }
  return undefined;
};
