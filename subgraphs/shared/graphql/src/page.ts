import { AppError, type ErrorCause } from '@fds/errors';

/** A page of a list, as asked for. */
export interface PageRequest {
  /** From 0. */
  readonly page: number;
  /** 1 to 1000. */
  readonly size: number;
}

/** The `Page` type of every list answer. */
export interface PageInfo extends PageRequest {
  readonly totalElements: number;
  readonly totalPages: number;
}

/** A list answer: `{data, page}`. */
export interface Paged<T> {
  readonly data: readonly T[];
  readonly page: PageInfo;
}

export const maxPageSize = 1000;

/** Checks paging arguments. @throws AppError INVALID_PARAMETER */
export const requirePage = (
  args: { readonly page?: number | null; readonly size?: number | null },
  defaultSize = 50,
): PageRequest => {
  const page = args.page ?? 0;
  const size = args.size ?? defaultSize;
  const errors: ErrorCause[] = [];
  if (page < 0) errors.push({ pointer: 'page', code: 'OUT_OF_RANGE', detail: 'page must be at least 0' });
  if (size < 1 || size > maxPageSize) {
    errors.push({ pointer: 'size', code: 'OUT_OF_RANGE', detail: `size must be from 1 to ${maxPageSize}` });
  }
  if (errors.length > 0) throw new AppError('INVALID_PARAMETER', 'page or size is out of range', { errors });
  return { page, size };
};

/** Builds the list answer of a page. */
export const toPaged = <T>(data: readonly T[], { page, size }: PageRequest, totalElements: number): Paged<T> => ({
  data,
  page: { page, size, totalElements, totalPages: Math.ceil(totalElements / size) },
});
