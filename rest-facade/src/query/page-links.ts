import type { PageInfo } from '@fds/graphql';

/** Absolute addresses of a list's pages, with the caller's other parameters. */
export interface PageLinks {
  readonly self: string;
  readonly first: string;
  readonly last: string;
  /** Absent on the last page and after it. */
  readonly next?: string;
  /** Absent on the first page. After the last page, it is the address of the last page. */
  readonly prev?: string;
}

/**
 * @param origin scheme and authority that clients see, without a slash at the end
 * @param target path and query string of the request as sent
 */
export const pageLinks = (origin: string, target: string, { page, totalPages }: PageInfo): PageLinks => {
  const cut = target.indexOf('?');
  const path = cut < 0 ? target : target.slice(0, cut);
  const query = cut < 0 ? '' : target.slice(cut + 1);
  const others = query.split('&').filter((parameter) => parameter !== '' && !parameter.startsWith('page='));
  const linkTo = (number: number): string => `${origin}${path}?${[...others, `page=${number}`].join('&')}`;
  const last = Math.max(totalPages - 1, 0);
  return {
    self: `${origin}${target}`,
    first: linkTo(0),
    last: linkTo(last),
    ...(page < last ? { next: linkTo(page + 1) } : {}),
    ...(page > 0 ? { prev: linkTo(Math.min(page - 1, last)) } : {}),
  };
};
