import { AppError } from '@fds/errors';
import { Lexer, Source, TokenKind } from 'graphql';

/**
 * Levels of braces, brackets and parentheses that a document may have, with fragments expanded. Every recursive walk
 * through the document goes this deep.
 */
export const maxNesting = 200;

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);
const openingCharacter = /[{[(]/g;

/** Does the text have enough opening brackets to nest too deeply? Few documents have. */
const hasManyOpenings = (source: string): boolean => {
  openingCharacter.lastIndex = 0;
  for (let count = 0; count <= maxNesting; count += 1) if (!openingCharacter.test(source)) return false;
  return true;
};

/**
 * Refuses a text that nests deeper than any hand-written text, before recursive code reads it.
 *
 * @throws AppError QUERY_TOO_COMPLEX. @throws GraphQLError when the text has no tokens
 */
export const requireShallow = (source: string): void => {
  if (!hasManyOpenings(source)) return;
  const lexer = new Lexer(new Source(source));
  let depth = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    if (opening.has(kind)) depth += 1;
    else if (closing.has(kind)) depth -= 1;
    if (depth > maxNesting) {
      throw new AppError('QUERY_TOO_COMPLEX', `the document nests more than ${maxNesting} levels of brackets`);
    }
  }
};
