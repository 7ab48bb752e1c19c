/** A row of a page with the number of rows found. */
export type FoundRow<Row> = { readonly hits?: bigint } & (
  (Row & { readonly place: bigint }) | { readonly place: null }
);

/** Each row of a page with the number of rows found. A page without rows is one row without a place. */
export const withCount = (counted: string, page: string): string =>
  `SELECT counted.hits, whole.* FROM (${counted}) AS counted LEFT JOIN (${page}) AS whole ON true ORDER BY whole.place`;
