import type { GraphQLDataSource } from '@apollo/gateway';

/** Data sources of a plan, by the name of the subgraph. */
export type DataSources = Readonly<Record<string, GraphQLDataSource>>;
