import { AppError, type ErrorCause } from '@fds/errors';

/** Most causes whose details form the sentence of the refusal. The list contains all causes. */
const maxListed = 10;

const isInBody = ({ pointer }: ErrorCause): boolean => pointer === '' || pointer.startsWith('/');

/**
 * The refusal of a request for these causes: VALIDATION_FAILED if one of them is in the body, otherwise
 * INVALID_PARAMETER.
 *
 * @param details additional members at the top level of the answer
 */
export const refusalByCauses = (causes: readonly ErrorCause[], details: AppError['details'] = {}): AppError => {
  const listed = causes.slice(0, maxListed).map(({ detail }) => detail);
  const more = causes.length > listed.length ? [`and ${causes.length - listed.length} more`] : [];
  const code = causes.some(isInBody) ? 'VALIDATION_FAILED' : 'INVALID_PARAMETER';
  return new AppError(code, [...listed, ...more].join('; '), { errors: causes, details });
};

/** No token, no permission, or no such resource. */
const graverStatuses: ReadonlySet<number> = new Set([401, 403, 404]);

const isAbove = (pointer: string, other: string): boolean => other.startsWith(`${pointer}/`);

/** Was the cause found only because the facade left out a wrong value there? */
const follows = ({ pointer, code }: ErrorCause, own: readonly ErrorCause[]): boolean =>
  own.some(
    (cause) =>
      cause.pointer === pointer ||
      isAbove(cause.pointer, pointer) ||
      // a key of `filters` or `options`, of which not all were read
      (code === 'REQUIRED' && pointer.startsWith(`${cause.pointer}.`)) ||
      (code === 'REQUIRED' && isAbove(pointer, cause.pointer)),
  );

/**
 * The result of checking a refused request: the caller lacks the permission, the resource does not exist, or the
 * request has more causes.
 *
 * @param own causes the door has found;
 * @param found causes that the operation found in the rest, with places in the body
 */
export const completeRefusal = (own: readonly ErrorCause[], found: readonly AppError[]): AppError => {
  const graver = found.find(({ definition: { status } }) => graverStatuses.has(status));
  if (graver !== undefined) return graver;
  const faults = found.filter(({ definition }) => definition.status === 400);
  const more = faults.flatMap(({ errors }) => errors).filter((cause) => !follows(cause, own));
  // the position of the fault in a search expression
  const position = faults.map(({ details }) => details['position']).find((offset) => offset !== undefined);
  return refusalByCauses([...own, ...more], position === undefined ? {} : { position });
};
