import { describe, expect, it } from '@jest/globals';
import { pageLinks } from './page-links.js';

const origin = 'https://fds.example';
const linksOf = (page: number, totalPages: number, target = '/api/zones?size=10') =>
  pageLinks(origin, target, { page, size: 10, totalPages, totalElements: totalPages * 10 });
const at = (page: number): string => `${origin}/api/zones?size=10&page=${page}`;
const self = `${origin}/api/zones?size=10`;

describe('pageLinks', () => {
  it.each([
    ['the only page', 0, 1, { first: at(0), last: at(0) }],
    ['an empty list', 0, 0, { first: at(0), last: at(0) }],
    ['the first page', 0, 3, { first: at(0), last: at(2), next: at(1) }],
    ['a page in the middle', 1, 3, { first: at(0), last: at(2), next: at(2), prev: at(0) }],
    ['the last page', 2, 3, { first: at(0), last: at(2), prev: at(1) }],
    ['a page beyond the last', 9, 3, { first: at(0), last: at(2), prev: at(2) }],
  ])('of %s', (_, page, totalPages, links) => {
    expect(linksOf(page, totalPages)).toEqual({ self, ...links });
  });

  it("contain the parameters in the caller's spelling, with another page", () => {
    const target = '/api/drs?page=1&query=a%3F?b&filters=name:%22x,y%22';
    expect(linksOf(1, 3, target)).toMatchObject({
      self: `${origin}${target}`,
      next: `${origin}/api/drs?query=a%3F?b&filters=name:%22x,y%22&page=2`,
    });
  });

  it('do not need a query string', () => {
    expect(linksOf(0, 2, '/api/zones')).toMatchObject({ next: `${origin}/api/zones?page=1` });
  });
});
