/**
 * The records of a page in FROM: each is a record `r` with its `page.place`, from 1 on. The uuids are an array: its size is
 * estimated alike whatever the parameters are, so the database plans the statement once. A joined subselect has an estimate of
 * thousands of rows until the page is known. The database then prefers a plan with the values and plans each execution.
 *
 * @param uuids statement of the records of the page in order
 */
export const fromRowsOf = (uuids: string): string =>
  `unnest(ARRAY(${uuids})) WITH ORDINALITY AS page (uuid, place) JOIN data_record r ON r.uuid = page.uuid`;

/** A statement of the same records, without an order. */
export const writeRowsOf = (uuids: string, columns: readonly string[]): string =>
  `SELECT ${columns.join(', ')} FROM ${fromRowsOf(uuids)}`;
