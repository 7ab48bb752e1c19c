import { AppError, type ErrorCause } from '@fds/errors';

/** Causes whose details make up the sentence of the refusal; the list has them all. */
const maxListed = 10;

const isInBody = ({ pointer }: ErrorCause): boolean => pointer === '' || pointer.startsWith('/');

/**
 * The refusal of a request for these causes: VALIDATION_FAILED when one is in the body, otherwise INVALID_PARAMETER.
 *
 * @param details further members at the top of the answer
 */
export const refusalByCauses = (causes: readonly ErrorCause[], details: AppError['details'] = {}): AppError => {
  const listed = causes.slice(0, maxListed).map(({ detail }) => detail);
  const more = causes.length > listed.length ? [`and ${causes.length - listed.length} more`] : [];
  const code = causes.some(isInBody) ? 'VALIDATION_FAILED' : 'INVALID_PARAMETER';
  return new AppError(code, [...listed, ...more].join('; '), { errors: causes, details });
};

/** No token, no permission, not there. */
const graverStatuses: ReadonlySet<number> = new Set([401, 403, 404]);

const isAbove = (pointer: string, other: string): boolean => other.startsWith(`${pointer}/`);

/** Was it found only because the door had left out what is wrong there? */
const follows = ({ pointer, code }: ErrorCause, own: readonly ErrorCause[]): boolean =>
  own.some(
    (cause) =>
      cause.pointer === pointer ||
      isAbove(cause.pointer, pointer) ||
      // a key of filters or options that were not all read
      (code === 'REQUIRED' && pointer.startsWith(`${cause.pointer}.`)) ||
      (code === 'REQUIRED' && isAbove(pointer, cause.pointer)),
  );

/**
 * The result of checking a refused request: its caller may not do it at all, the resource does not exist, or there are more
 * causes.
 *
 * @param own causes the door has found;
 * @param found the causes that the operation finds in the rest, with places in the body
 */
export const completeRefusal = (own: readonly ErrorCause[], found: readonly AppError[]): AppError => {
  const graver = found.find(({ definition: { status } }) => graverStatuses.has(status));
  if (graver !== undefined) return graver;
  const faults = found.filter(({ definition }) => definition.status === 400);
  const more = faults.flatMap(({ errors }) => errors).filter((cause) => !follows(cause, own));
  // where in a search expression the fault is
  const position = faults.map(({ details }) => details['position']).find((offset) => offset !== undefined);
  return refusalByCauses([...own, ...more], position === undefined ? {} : { position });
};
