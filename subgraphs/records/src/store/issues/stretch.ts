/** Rows to choose, counted from the nearer end: the last page costs as much as the first. */
export interface Stretch {
  readonly from: 'START' | 'END';
  readonly offset: number;
  readonly limit: number;
}

/** @param page `total` is greater than `offset` */
export const stretchOf = (page: {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}): Stretch => {
  const { offset, limit, total } = page;
  const behind = total - offset - limit;
  if (behind >= offset) return { from: 'START', offset, limit };
  return { from: 'END', offset: Math.max(behind, 0), limit: Math.min(limit, total - offset) };
};
