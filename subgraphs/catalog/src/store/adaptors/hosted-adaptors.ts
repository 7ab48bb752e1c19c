import type { Sealer } from '@fds/auth';
import { inTransaction, type Database } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { reportedByHost, type AdaptorState, type HostedReport } from '../../domain/adaptors/adaptor-state.js';
import { createMetadataSecrets } from '../secrets/metadata-secrets.js';
import { lockAdaptor, toAdaptor, withTypeAndCapabilities } from './adaptor-rows.js';
import { saveState } from './adaptor-states.js';

/** The part of the catalog that a process needs to run webhook adaptors. It needs only the database. */
export interface HostedAdaptors {
  /**
   * Stores the state that the process reports. A report without a change, and one for an adaptor that no longer exists,
   * has no effect.
   *
   * @returns the resulting state; undefined when the adaptor does not exist
   */
  report(adaptorUuid: string, state: HostedReport, message?: string): Promise<AdaptorState | undefined>;
  /** The effective metadata, with its secrets; undefined when the adaptor does not exist. */
  loadMetadata(adaptorUuid: string): Promise<JsonObject | null | undefined>;
}

export const createHostedAdaptors = ({
  database,
  sealer,
}: {
  readonly database: Database;
  readonly sealer: Sealer;
}): HostedAdaptors => {
  const metadataSecrets = createMetadataSecrets(sealer);
  return {
    report: (adaptorUuid, report, message) =>
      inTransaction(database, async (tx) => {
        await lockAdaptor(tx, adaptorUuid);
        const row = await tx.adaptor.findUnique({ where: { uuid: adaptorUuid }, include: withTypeAndCapabilities });
        if (row === null) return undefined;
        const adaptor = toAdaptor(row);
        if (!adaptor.active && report !== 'DOWN') return adaptor.state;
        const state = reportedByHost(adaptor.state, report);
        await saveState(tx, adaptor, { state, stateMessage: state === 'ERROR' ? (message ?? null) : null }, undefined);
        return state;
      }),
    loadMetadata: (adaptorUuid) =>
      inTransaction(database, async (tx) => {
        if ((await tx.adaptor.count({ where: { uuid: adaptorUuid } })) === 0) return undefined;
        return metadataSecrets.reveal(await metadataSecrets.ofAdaptor(tx, adaptorUuid));
      }),
  };
};
