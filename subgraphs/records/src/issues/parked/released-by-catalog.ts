import type { UnblockingChange } from '../../catalog-view/catalog-listeners.js';
import type { ReleasedEvents } from '../../store/issues/released-events.js';

/** The events that the operational chain denied. */
export const byOperationalChain = { kind: 'CAUSE', cause: 'OPERATIONAL' } as const;

/** The events that may continue after a change of the catalog. */
export const releasedByCatalog = ({ versions, adaptors, operational }: UnblockingChange): readonly ReleasedEvents[] => [
  ...(operational ? [byOperationalChain] : []),
  ...(adaptors.length > 0 ? [{ kind: 'ADAPTORS', uuids: adaptors } as const] : []),
  ...(versions.length > 0
    ? [{ kind: 'VERSIONS', uuids: versions } as const, { kind: 'CAUSE', cause: 'UNKNOWN_VERSION' } as const]
    : []),
];
