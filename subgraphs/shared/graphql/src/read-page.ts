import { AppError } from '@fds/errors';
import { toPaged, type Paged, type PageRequest } from './page.js';
import { parseSort } from './sort.js';

/** A page of a list that is counted first; a page beyond the last reads nothing. */
export const readPage = async <T>(
  request: PageRequest,
  count: () => Promise<number>,
  read: (range: { readonly skip: number; readonly take: number }) => Promise<readonly T[]>,
): Promise<Paged<T>> => {
  const total = await count();
  const skip = request.page * request.size;
  return toPaged(skip >= total ? [] : await read({ skip, take: request.size }), request, total);
};

type Direction = 'asc' | 'desc';
type Order = Readonly<Record<string, Direction | Readonly<Record<string, Direction>>>>;

/**
 * The order of a list: the requested one, otherwise `standard`, always ended by the uuid.
 *
 * @param allowed names of the schema's documentation; `a.b` is the member `b` of the object in `a`
 * @throws AppError INVALID_PARAMETER
 */
export const orderOf = (sort: string | null | undefined, allowed: readonly string[], standard: string): Order[] => {
  const terms = parseSort(sort, allowed);
  const wanted = terms.length > 0 ? terms : parseSort(standard, allowed);
  return [
    ...wanted.map(({ field, descending }): Order => {
      const direction = descending ? 'desc' : 'asc';
      const [name = '', member] = field.split('.');
      return { [name]: member === undefined ? direction : { [member]: direction } };
    }),
    { uuid: 'asc' },
  ];
};

/** Text of a filter that the database can hold. @throws AppError INVALID_PARAMETER */
export const filterText = (name: string, text: string | null | undefined): string | undefined => {
  if (text?.includes('\u0000') === true) {
    throw new AppError('INVALID_PARAMETER', `${name} holds a character that no name has`, {
      errors: [{ pointer: name, code: 'INVALID_CHARACTER', detail: 'U+0000 is in no name' }],
    });
  }
  return text ?? undefined;
};
