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

/** Most causes that one answer lists. */
const maxCauses = 1000;

/** The place of a value: its name, and the place that it is in. */
interface Place {
  readonly name: string | number;
  readonly within: Place | undefined;
}

const pointerOf = (place: Place | undefined): string =>
  place === undefined ? '' : `${pointerOf(place.within)}/${place.name}`;

/** Looks at each value once, and writes pointers for faults only: a body may have half a million values. */
const findCauses = (value: object, place: Place | undefined, causes: ErrorCause[]): void => {
  const look = (member: unknown, name: string | number): void => {
    if (typeof member === 'string') {
      if (!isStorableText(member)) causes.push(cause(pointerOf({ name, within: place })));
    } else if (typeof member === 'object' && member !== null) findCauses(member, { name, within: place }, causes);
  };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && causes.length < maxCauses; index += 1) look(value[index], index);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (causes.length >= maxCauses) return;
    look(member, name);
  }
};

const findCausesOfVariable = (name: string, value: unknown, causes: ErrorCause[]): void => {
  if (typeof value === 'string') {
    if (!isStorableText(value)) causes.push(cause(name));
  } else if (typeof value === 'object' && value !== null) findCauses(value, undefined, causes);
};

/**
 * Refuses variables that contain text which PostgreSQL cannot store, before anything runs.
 *
 * @throws AppError VALIDATION_FAILED; the causes point into the variable's value, or name the variable
 */
export const requireStorableVariables = (variables: unknown): void => {
  if (!isJsonObject(variables)) return;
  const causes: ErrorCause[] = [];
  for (const [name, value] of Object.entries(variables)) findCausesOfVariable(name, value, causes);
  refuse(causes);
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
