/**
 * Works on items in order, several of them at the same time.
 *
 * @returns the results in the order of the items
 * @throws the first failure. Items that have not started by then are skipped
 */
export const mapInTurn = async <Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length && !failed; index = next++) {
      try {
        results[index] = await work(items[index] as Item);
      } catch (failure) {
        failed = true;
        throw failure;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
};
