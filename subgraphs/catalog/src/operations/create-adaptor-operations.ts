import type { Principal } from '@fds/auth';
import type { Database } from '@fds/database';
import type { OpsAnswer } from '@fds/adaptor-protocol';
import { AppError } from '@fds/errors';
import type { Question, Questions } from '../bus/create-questions.js';
import { isAway } from '../domain/adaptors/adaptor-state.js';
import type { Adaptor } from '../domain/adaptors/adaptor.js';
import {
  countMetrics,
  metricPeriods,
  type AdaptorMetric,
  type MetricSelection,
} from '../domain/operations/count-metrics.js';
import { requireTimeZone } from '../domain/operations/time-zone.js';
import { adaptorNotFound, requireAdaptor } from '../actions/adaptors/require-adaptor.js';
import type { AdaptorCounts } from '../store/operations/adaptor-counts.js';
import { loadQueues, type AdaptorQueue } from '../store/operations/load-queue.js';
import type { ShutdownCodes } from '../actions/adaptors/shutdown-codes.js';
import type { CountCollector } from './create-count-collector.js';

/** The adaptor that a question is about. */
interface Asked {
  readonly adaptorUuid: string;
  readonly requestId: string;
}

interface AdaptorHealth extends Asked {
  readonly status: 'UP' | 'DOWN';
  /** Milliseconds; 0 when it is down. */
  readonly uptime: number;
}

export interface MetricsRequest extends MetricSelection {
  /** IANA name; absent means that of the adaptor. */
  readonly timeZone?: string | null;
}

/**
 * Questions of a caller about an adaptor, other than its state. Each function throws AppError NOT_FOUND for an adaptor
 * of another zone.
 */
export interface AdaptorOperations {
  /** DOWN when the adaptor is not connected or does not answer. */
  health(zoneUuid: string, adaptorUuid: string): Promise<AdaptorHealth>;
  /** The counts of the adaptor; the last counts that the server has when the adaptor is not connected or does not answer. */
  metrics(
    zoneUuid: string,
    adaptorUuid: string,
    request: MetricsRequest,
  ): Promise<Asked & { readonly adaptorMetricsDetail: readonly AdaptorMetric[] }>;
  queue(zoneUuid: string, adaptorUuid: string): Promise<AdaptorQueue>;
  shutdownCode(zoneUuid: string, adaptorUuid: string): Promise<{ readonly adaptorUuid: string; readonly code: string }>;
  /** @throws AppError WRONG_SHUTDOWN_CODE; INVALID_PARAMETER without a code */
  shutDown(
    zoneUuid: string,
    adaptorUuid: string,
    code: string | null | undefined,
    principal: Principal,
  ): Promise<Asked & { readonly acknowledged: boolean }>;
}

export interface AdaptorOperationsOptions {
  readonly database: Database;
  readonly questions: Pick<Questions, 'ask'>;
  readonly counts: Pick<AdaptorCounts, 'load'>;
  readonly collector: Pick<CountCollector, 'collect'>;
  readonly codes: ShutdownCodes;
  readonly newUuid: () => string;
}

export const createAdaptorOperations = (options: AdaptorOperationsOptions): AdaptorOperations => {
  const { database, questions, counts, collector, codes, newUuid } = options;
  const find = (zoneUuid: string, adaptorUuid: string): Promise<Adaptor> =>
    requireAdaptor(database.prisma, zoneUuid, adaptorUuid);

  const ask = async (
    { uuid, state }: Adaptor,
    requestId: string,
    question: Question,
  ): Promise<OpsAnswer | undefined> => (isAway(state) ? undefined : questions.ask(uuid, requestId, question));

  return {
    health: async (zoneUuid, adaptorUuid) => {
      const adaptor = await find(zoneUuid, adaptorUuid);
      const requestId = newUuid();
      const answer = await ask(adaptor, requestId, { operation: 'HEALTH' });
      return { adaptorUuid, requestId, status: 'DOWN', uptime: 0, ...answer?.health };
    },
    metrics: async (zoneUuid, adaptorUuid, { timeZone, ...selection }) => {
      const zone = requireTimeZone(timeZone);
      const { state } = await find(zoneUuid, adaptorUuid);
      const requestId = newUuid();
      if (!isAway(state)) await collector.collect(adaptorUuid, requestId);
      const periods = metricPeriods.filter((period) => (selection.period ?? period) === period);
      const known = await counts.load(adaptorUuid, periods, zone);
      return { adaptorUuid, requestId, adaptorMetricsDetail: countMetrics(known, selection) };
    },
    queue: async (zoneUuid, adaptorUuid) => {
      await find(zoneUuid, adaptorUuid);
      const queue = (await loadQueues(database.reads, [adaptorUuid])).get(adaptorUuid);
      if (queue === undefined) throw adaptorNotFound(adaptorUuid);
      return queue;
    },
    shutdownCode: async (zoneUuid, adaptorUuid) => {
      await find(zoneUuid, adaptorUuid);
      return { adaptorUuid, code: await codes.issue(adaptorUuid) };
    },
    shutDown: async (zoneUuid, adaptorUuid, code, principal) => {
      const adaptor = await find(zoneUuid, adaptorUuid);
      if (code === null || code === undefined) {
        throw new AppError('INVALID_PARAMETER', 'the code of the first step is missing', {
          errors: [{ pointer: 'code', code: 'REQUIRED', detail: 'GET shutdown-code gives one' }],
        });
      }
      await codes.redeem({ zoneUuid, adaptorUuid }, code, principal);
      const requestId = newUuid();
      const answer = await ask(adaptor, requestId, { operation: 'SHUTDOWN', code });
      return { adaptorUuid, requestId, acknowledged: answer?.acknowledged === true };
    },
  };
};
