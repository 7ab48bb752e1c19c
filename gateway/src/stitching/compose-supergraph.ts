import { composeServices } from '@apollo/composition';
import { Supergraph } from '@apollo/federation-internals';
import { parse, printSchema } from 'graphql';
import type { ComposedSdl } from './composed-sdl.js';

/** A subgraph's name and the SDL of its static part. */
export interface SubgraphSource {
  readonly name: string;
  readonly typeDefs: string;
}

/**
 * Composes the static parts into a supergraph. It is slow (tens of milliseconds and more), so it runs at build time
 * only.
 *
 * @throws Error with every fault that composition finds
 */
export const composeSupergraph = (sources: readonly SubgraphSource[]): ComposedSdl => {
  const result = composeServices(
    sources.map(({ name, typeDefs }) => ({ name, url: '', typeDefs: parse(typeDefs, { noLocation: true }) })),
  );
  if (result.supergraphSdl === undefined) {
    throw new Error(`the subgraphs do not compose:\n${result.errors.map(({ message }) => `  ${message}`).join('\n')}`);
  }
  const supergraph = result.supergraphSdl;
  return { supergraph, api: `${printSchema(Supergraph.build(supergraph).apiSchema().toGraphQLJSSchema())}\n` };
};
