import { AppError, type ErrorCause } from '@fds/errors';
import { isJsonObject, isStorableText } from '@fds/json';
import { Kind, visit, type DocumentNode } from 'graphql';

const cause = (pointer: string): ErrorCause => ({
  pointer,
  code: 'INVALID_CHARACTER',
  detail: 'holds a character that cannot be stored: U+0000, or half a surrogate pair',
});

const refuse = (errors: readonly ErrorCause[]): void => {
  if (errors.length > 0) throw new AppError('VALIDATION_FAILED', 'a text cannot be stored', { errors });
};

const causesIn = (value: unknown, pointer: string): ErrorCause[] => {
  if (typeof value === 'string') return isStorableText(value) ? [] : [cause(pointer)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => causesIn(member, `${pointer}/${name}`));
};

/**
 * Refuses variables that contain text which PostgreSQL cannot store, before anything runs.
 *
 * @throws AppError VALIDATION_FAILED; the causes point into the variable's value, or name the variable
 */
export const requireStorableVariables = (variables: unknown): void => {
  if (!isJsonObject(variables)) return;
  refuse(Object.entries(variables).flatMap(([name, value]) => causesIn(value, typeof value === 'string' ? name : '')));
};

/** The same for the literals of a document. @throws AppError VALIDATION_FAILED */
export const requireStorableLiterals = (document: DocumentNode): void => {
  const errors: ErrorCause[] = [];
  visit(document, {
    [Kind.STRING]: ({ value }) => {
      if (!isStorableText(value)) errors.push(cause('query'));
    },
  });
  refuse(errors);
};
