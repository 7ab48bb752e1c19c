import { AppError } from '@fds/errors';

/** One fault of a search expression. */
export interface QueryFault {
  /** Upper snake case word. */
  readonly code: string;
  readonly detail: string;
  /** Offset in the expression, in UTF-16 units from 0. */
  readonly position: number;
}

/** INVALID_QUERY with every fault; `position` is that of the first. */
export const toQueryError = (faults: readonly [QueryFault, ...QueryFault[]]): AppError<'INVALID_QUERY'> => {
  const [first] = faults;
  return new AppError('INVALID_QUERY', `${first.detail} (at position ${first.position})`, {
    details: { position: first.position },
    errors: faults.map(({ code, detail, position }) => ({
      pointer: 'query',
      code,
      detail: `${detail} (at position ${position})`,
    })),
  });
};
