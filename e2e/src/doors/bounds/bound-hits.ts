import type { Service } from '../../harness/service.js';

/** How often `/metrics` says that a bound was hit. @throws Error when it does not name the bound */
export const boundHits = async ({ baseUrl }: Pick<Service, 'baseUrl'>, bound: string): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const found = new RegExp(`^fds_bounds_hit_total\\{bound="${bound}"\\} (\\d+)$`, 'm').exec(text);
  if (found === null) throw new Error(`/metrics does not count ${bound}`);
  return Number(found[1]);
};
