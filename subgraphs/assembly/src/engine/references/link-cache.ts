import type { Principal } from '@fds/auth';
import type { Queryable } from '@fds/database';
import { readVisibility } from '@fds/search';
import { linkRequestKey, loadLinkedUuids, type LinkRequest } from '@fds/references';

export interface LinkCacheOptions {
  readonly principal: Pick<Principal, 'dataAccess'>;
  readonly searches: Queryable;
  /** Most records to which the references of one level may lead. */
  readonly maxLinked: number;
  /** Creates the error when they lead to more. */
  readonly tooMany: () => Error;
}

/**
 * Looks up references for one answer: unknown ones with one statement, each once, and only records that the caller may
 * see.
 */
export const createLinkCache = ({ principal, searches, maxLinked, tooMany }: LinkCacheOptions) => {
  const known = new Map<string, readonly string[]>();

  return async (requests: readonly LinkRequest[]): Promise<readonly (readonly string[])[]> => {
    const keys = requests.map(linkRequestKey);
    const unknown = new Map(
      requests.flatMap((request, place): [string, LinkRequest][] => {
        const key = keys[place];
        return key === undefined || known.has(key) ? [] : [[key, request]];
      }),
    );
    const loaded = await loadLinkedUuids(searches, [...unknown.values()], maxLinked, (version, required) =>
      readVisibility(principal, [version], required),
    );
    if (loaded === undefined) throw tooMany();
    for (const [place, key] of [...unknown.keys()].entries()) known.set(key, loaded[place] ?? []);
    return keys.map((key) => known.get(key) ?? []);
  };
};
