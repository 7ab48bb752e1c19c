/**
 * Cuts rows into as few slices of at most `most` as possible, each of the same length, give or take one. A short last slice would
 * cost a transaction and take the place of a long one that could be written at the same time.
 */
export const evenSlices = <Row>(rows: readonly Row[], most: number): (readonly Row[])[] => {
  const count = Math.ceil(rows.length / most);
  return Array.from({ length: count }, (_, index) =>
    rows.slice(Math.round((index * rows.length) / count), Math.round(((index + 1) * rows.length) / count)),
  );
};
