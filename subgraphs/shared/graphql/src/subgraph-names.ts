/** Every subgraph of the service: settings, parts, data sources, composition and tests follow this list. */
export const subgraphNames = ['catalog', 'governance', 'records', 'assembly', 'notifications'] as const;
export type SubgraphName = (typeof subgraphNames)[number];
