/**
 * Handles items in parallel up to a limit. Returns the results in the order of the items. The first failure ends it.
 */
export const inParallel = async <Item, Result>(
  width: number,
  items: readonly Item[],
  handle: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await handle(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
};
