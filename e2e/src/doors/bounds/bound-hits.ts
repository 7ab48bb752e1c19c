import type { Service } from '../../harness/service.js';

/**
 * Number of times that a limit was reached, from `/metrics`. @throws Error when `/metrics` does not contain the limit
 */
export const boundHits = async ({ baseUrl }: Pick<Service, 'baseUrl'>, bound: string): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const found = new RegExp(`^fds_bounds_hit_total\\{bound="${bound}"\\} (\\d+)$`, 'm').exec(text);
  if (found === null) throw new Error(`/metrics does not count ${bound}`);
  return Number(found[1]);
};
