const domainName = /^[A-Za-z][A-Za-z0-9_-]{1,127}$/;

/** A domain's name in GraphQL: a dash becomes an underscore. */
export const graphqlDomainName = (domain: string): string => domain.replaceAll('-', '_');

/**
 * May a domain have this name? (docs/reference/model-schema.md#domains.) Two separators in a row are refused where either is a
 * dash too:
 * in GraphQL both are underscores, and two of them set a nested type's path off from its record type.
 */
export const isDomainName = (name: string): boolean => domainName.test(name) && !graphqlDomainName(name).includes('__');

/**
 * A property's name in GraphQL: a dash becomes an underscore. GraphQL keeps names with two leading underscores to
 * itself, so that such a name keeps one.
 */
export const graphqlPropertyName = (property: string): string => property.replaceAll('-', '_').replace(/^__+/, '_');

/** Type and query field of a domain version's records: `dr_<domain>_<n>`. */
export const recordTypeName = (domain: string, versionNumber: number): string =>
  `dr_${graphqlDomainName(domain)}_${versionNumber}`;

/** Wrapper of a page of records: `dr_<domain>_<n>_page`. */
export const pageTypeName = (recordType: string): string => `${recordType}_page`;

/**
 * Type of an object nested in a record: `dr_<domain>_<n>__<path>`.
 *
 * @param path dotted path of the property
 */
export const nestedTypeName = (recordType: string, path: string): string => `${recordType}__${nestedTypePath(path)}`;

/** The part of a nested type's name that the path gives. Distinct in one model: the compiler refuses clashes. */
export const nestedTypePath = (path: string): string => path.split('.').map(graphqlPropertyName).join('__');
