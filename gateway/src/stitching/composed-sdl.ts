import { readFileSync } from 'node:fs';

/** The static parts of the subgraphs, composed ahead. */
export interface ComposedSdl {
  /** With the directives of federation. */
  readonly supergraph: string;
  /** What clients see of it. */
  readonly api: string;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** Reads the composition that is checked in. @throws Error when a file is missing */
export const readComposedSdl = (): ComposedSdl => ({
  supergraph: read('supergraph.graphql'),
  api: read('api.graphql'),
});
