import type { AssemblyRequest } from '@fds/assembly-contract';
import type { ErrorCause } from '@fds/errors';

const lists = ['adaptors', 'goldAdaptors', 'silverAdaptors', 'bronzeAdaptors'] as const;

type AdaptorLists = Pick<AssemblyRequest, (typeof lists)[number]>;

/** The adaptors in any of the four lists of a request, in lower case. */
export const namedAdaptors = (request: AdaptorLists): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => (request[list] ?? []).map((uuid) => uuid.toLowerCase())));

/**
 * The places in the lists that contain an adaptor which the caller may not see. A hidden adaptor is reported like an
 * unknown one.
 */
export const unknownAdaptors = (request: AdaptorLists, isKnown: (adaptorUuid: string) => boolean): ErrorCause[] =>
  lists.flatMap((list) =>
    (request[list] ?? []).flatMap((uuid, index) =>
      isKnown(uuid.toLowerCase())
        ? []
        : [{ pointer: `/${list}/${index}`, code: 'UNKNOWN_ADAPTOR', detail: `there is no such adaptor: ${uuid}` }],
    ),
  );
