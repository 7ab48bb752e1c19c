import type { GraphQLDataSource } from '@apollo/gateway';

/** Where the parts of a plan run, by the name of the subgraph. */
export type DataSources = Readonly<Record<string, GraphQLDataSource>>;
