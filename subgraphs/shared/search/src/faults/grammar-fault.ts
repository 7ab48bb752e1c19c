/** Where and why a text does not fit a grammar. */
export interface GrammarFault {
  readonly detail: string;
  readonly offset: number;
}

/** The error of a generated parser, as a fault. @throws the given error, when a parser did not throw it */
export const grammarFaultOf = (error: unknown): GrammarFault => {
  if (!(error instanceof SyntaxError) || !('location' in error)) throw error;
  const { start } = error.location as { readonly start: { readonly offset: number } };
  return { detail: error.message.replace(/\.$/, ''), offset: start.offset };
};
