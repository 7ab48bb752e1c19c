import type { PrismaTransaction } from '@fds/database';
import type { AdaptorState } from '../../domain/adaptors/adaptor-state.js';
import type { Adaptor, AdaptorSettings } from '../../domain/adaptors/adaptor.js';
import type { DeletionLimit } from '../../domain/adaptors/deletion-limit.js';
import { capabilitiesInEffect, metadataInEffect } from '../../domain/adaptors/adaptor.js';
import {
  toAdaptorType,
  toCapability,
  toJsonObject,
  toJsonText,
  withDefaultCapabilities,
} from '../adaptor-types/adaptor-type-rows.js';

/** The related rows that reading an adaptor includes. */
export const withTypeAndCapabilities = {
  capabilities: { orderBy: { position: 'asc' } },
  adaptorType: { include: withDefaultCapabilities },
} as const;

type AdaptorRow = Omit<Adaptor, 'state' | 'capabilities' | 'metadata' | 'adaptorType' | 'deletionLimit'> & {
  readonly state: string;
  readonly metadata: string | null;
  readonly inheritsCapabilities: boolean;
  readonly deletionPercent: number | null;
  readonly deletionMinimum: number | null;
  readonly deletionSeconds: number | null;
  readonly capabilities: readonly Parameters<typeof toCapability>[0][];
  readonly adaptorType: Parameters<typeof toAdaptorType>[0];
};

const toDeletionLimit = (
  percent: number | null,
  minimum: number | null,
  seconds: number | null,
): DeletionLimit | null =>
  percent === null || minimum === null || seconds === null ? null : { percent, minimum, seconds };

export const toAdaptor = ({
  inheritsCapabilities,
  capabilities,
  metadata,
  state,
  adaptorType,
  deletionPercent,
  deletionMinimum,
  deletionSeconds,
  ...row
}: AdaptorRow): Adaptor => ({
  ...row,
  deletionLimit: toDeletionLimit(deletionPercent, deletionMinimum, deletionSeconds),
  state: state as AdaptorState,
  capabilities: inheritsCapabilities ? null : capabilities.map(toCapability),
  metadata: toJsonObject(metadata),
  adaptorType: toAdaptorType(adaptorType),
});

/** The columns of the settings, except type and capabilities. */
export const adaptorColumns = ({
  capabilities,
  metadata,
  adaptorTypeUuid: _type,
  deletionLimit,
  ...rest
}: AdaptorSettings) => ({
  ...rest,
  deletionPercent: deletionLimit?.percent ?? null,
  deletionMinimum: deletionLimit?.minimum ?? null,
  deletionSeconds: deletionLimit?.seconds ?? null,
  inheritsCapabilities: capabilities === null,
  metadata: toJsonText(metadata),
});

/**
 * Locks the adaptor's row until the transaction ends, so that changes of the configuration and state reports are
 * serialised.
 */
export const lockAdaptor = (tx: PrismaTransaction, uuid: string): Promise<unknown> =>
  tx.$queryRaw`SELECT 1 FROM adaptor WHERE uuid = ${uuid}::uuid FOR UPDATE`;

export const adaptorResource = ({ uuid, zoneUuid }: { readonly uuid: string; readonly zoneUuid: string }): string =>
  `/zones/${zoneUuid}/adaptors/${uuid}`;

/** The data of an adaptor in the change log: the effective settings with secrets masked. */
export const adaptorForLog = (adaptor: Adaptor) => ({
  ...adaptor,
  capabilities: capabilitiesInEffect(adaptor),
  metadata: metadataInEffect(adaptor),
  adaptorType: { uuid: adaptor.adaptorType.uuid, name: adaptor.adaptorType.name },
});
