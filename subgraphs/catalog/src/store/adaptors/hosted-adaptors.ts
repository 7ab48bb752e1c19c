import type { Sealer } from '@fds/auth';
import { inTransaction, type Database } from '@fds/database';
import type { JsonObject } from '@fds/json';
import { reportedByHost, type AdaptorState, type HostedReport } from '../../domain/adaptors/adaptor-state.js';
import { createMetadataSecrets } from '../secrets/metadata-secrets.js';
import { lockAdaptor, toAdaptor, withTypeAndCapabilities } from './adaptor-rows.js';
import { saveState } from './adaptor-states.js';

/** The side of the catalog that the process sees which runs a webhook adaptor. It needs the database only. */
export interface HostedAdaptors {
  /**
   * Takes the state that the process reports. A report that changes nothing, and one of an adaptor that is gone, has no
   * effect.
   *
   * @returns the state afterwards; undefined when there is no such adaptor
   */
  report(adaptorUuid: string, state: HostedReport, message?: string): Promise<AdaptorState | undefined>;
  /** The metadata in effect, with its secrets; undefined when there is no such adaptor. */
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
