import type { CursorSealer } from '@fds/auth';
import type { Database } from '@fds/database';
import { guarded } from '@fds/graphql';
import { createDataSource, type DataArguments } from './sources/data-source.js';
import { createIssueSource, type IssueArguments } from './sources/issue-source.js';
import { createMetadataSource, type MetadataArguments } from './sources/metadata-source.js';
import { createReconciliationSource, type ReconciliationArguments } from './sources/reconciliation-source.js';
import { createStateSource, type StateArguments } from './sources/state-source.js';

export interface SubscriptionTools {
  readonly database: Pick<Database, 'reads'>;
  /** The same for all processes of the deployment. */
  readonly cursors: CursorSealer;
  /** Address of the service as clients see it. */
  readonly baseUrl: string;
}

/** Each source checks the resources in its arguments, and each event is checked again when it is delivered. */
const access = { mode: 'filter', action: 'GET', resource: '/notifications' } as const;

/** Fields that return an `EventSource`, whose events the gateway delivers. */
export const subscriptionResolvers = (tools: SubscriptionTools) => ({
  Subscription: {
    metadataEvents: {
      subscribe: guarded<MetadataArguments>(access, (args, context) => createMetadataSource(args, context, tools)),
    },
    dataEvents: {
      subscribe: guarded<DataArguments>(access, (args, context) => createDataSource(args, context, tools)),
    },
    dataIssues: {
      subscribe: guarded<IssueArguments>(access, (args, context) => createIssueSource(args, context, tools)),
    },
    reconciliationStates: {
      subscribe: guarded<ReconciliationArguments>(access, (args, context) =>
        createReconciliationSource(args, context, tools),
      ),
    },
    adaptorStates: {
      subscribe: guarded<StateArguments>(access, (args, context) => createStateSource(args, context, tools)),
    },
  },
});
