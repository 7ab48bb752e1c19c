export type { GraphqlAnswer, GraphqlErrorAnswer, GraphqlExecutor, PreparedOperation } from './graphql-executor.js';
export { guarded, requirePermission, type FieldAccess, type FieldPromises, type GuardedResolver } from './guarded.js';
export { maxPageSize, requirePage, toPaged, type Paged, type PageInfo, type PageRequest } from './page.js';
export { filterText, orderOf, readPage } from './read-page.js';
export { endCheck, type RequestContext } from './request-context.js';
export { DateTime, Json, JsonText, Long, scalars, Uuid } from './scalars.js';
export { parseSort, type SortTerm } from './sort.js';
export { buildSchemaOf, type Subgraph } from './subgraph.js';
export { unguardedFields } from './unguarded-fields.js';
