import { AppError } from '@fds/errors';
import { guarded, requirePage, toPaged, type FieldAccess } from '@fds/graphql';
import {
  findReconciliation,
  listReconciliations,
  shownReconciliation,
  type ReconciledPlace,
  type Reconciliation,
  type ReconciliationFilter,
} from '../store/reconciliation.js';
import { finishJob } from '../store/running-jobs.js';
import { showDifferences, type DifferencesArguments } from './show-differences.js';
import {
  requireAdaptor,
  startReconciliation,
  type ReconciliationAccess,
  type StartArguments,
} from './start-reconciliation.js';

export type { ReconciliationAccess } from './start-reconciliation.js';

const collection = '/zones/{zoneUuid}/adaptors/{adaptorUuid}/reconciliations';
const one = `${collection}/{reconciliationUuid}`;
const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
  mode: 'require',
  action,
  resource,
});

interface JobArguments extends ReconciledPlace {
  readonly reconciliationUuid: string;
}

const requireJob = async ({ database }: ReconciliationAccess, args: JobArguments): Promise<Reconciliation> => {
  const job = await findReconciliation(database.reads, args.reconciliationUuid, args);
  if (job === undefined) throw new AppError('NOT_FOUND', 'there is no such reconciliation here');
  return job;
};

/** Reconciliations of adaptors. */
export const createReconciliationResolvers = (given: ReconciliationAccess) => ({
  Query: {
    reconciliations: guarded<ReconciliationFilter & { readonly page?: number | null; readonly size?: number | null }>(
      access('GET', collection),
      async (args) => {
        const paging = requirePage(args);
        await requireAdaptor(given, args);
        const page = { offset: paging.page * paging.size, limit: paging.size };
        const { rows, total } = await listReconciliations(given.database.reads, args, page);
        return toPaged(rows.map(shownReconciliation), paging, total);
      },
    ),
    reconciliation: guarded<JobArguments>(access('GET', one), async (args) =>
      shownReconciliation(await requireJob(given, args)),
    ),
    reconciliationDifferences: guarded<DifferencesArguments>(
      access('GET', `${one}/differences`),
      async (args, context) => {
        const job = await requireJob(given, args);
        const version = await given.view().findVersionByUuid(job.domainVersionUuid);
        return showDifferences(given, { job, version }, args, context);
      },
    ),
  },
  Mutation: {
    startReconciliation: guarded<StartArguments>(
      access('POST', collection),
      (args, context) => startReconciliation(given, args, context),
      { checks: 'input' },
    ),
    cancelReconciliation: guarded<JobArguments>(access('DELETE', one), async (args, { principal }) => {
      const job = await requireJob(given, args);
      await given.database.transaction((client) =>
        finishJob(client, job.uuid, { status: 'CANCELLED', message: null, actorUuid: principal.uuid }),
      );
      return true;
    }),
  },
});
