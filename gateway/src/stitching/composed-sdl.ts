import { readFileSync } from 'node:fs';

/** The composition of the subgraphs' static parts, made at build time. */
export interface ComposedSdl {
  /** The supergraph, with the directives of federation. */
  readonly supergraph: string;
  /** The part that clients see. */
  readonly api: string;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** Reads the checked-in composition. @throws Error when a file is missing */
export const readComposedSdl = (): ComposedSdl => ({
  supergraph: read('supergraph.graphql'),
  api: read('api.graphql'),
});
