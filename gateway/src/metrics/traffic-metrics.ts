import { METHODS } from 'node:http';
import { Counter, type Registry } from 'prom-client';
import { createHistogram } from './histogram.js';

/** An answered request. */
interface AnsweredRequest {
  readonly method: string;
  /** Template of its path; undefined: there is no such path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
}

/** An operation of the GraphQL door. */
export interface AnsweredOperation {
  readonly type: 'query' | 'mutation' | 'subscription' | 'unknown';
  /** PARTIAL: it has data and errors. */
  readonly outcome: 'SUCCESS' | 'PARTIAL' | 'ERROR';
  readonly ms: number;
}

/** The figures of the doors. */
export interface TrafficMetrics {
  countRequest(answered: AnsweredRequest): void;
  countOperation(answered: AnsweredOperation): void;
  /** Counts an error of a GraphQL answer, by its code. */
  countGraphqlError(code: string): void;
  /** Counts an attempt to deliver a webhook. */
  countWebhook(outcome: string): void;
  /** The histograms in the Prometheus text format. */
  text(): string;
}

const secondsOfRequests = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const webhookOutcomes = ['DELIVERED', 'FAILED', 'GONE', 'REFUSED_TARGET'] as const;
const methods: ReadonlySet<string> = new Set(METHODS);

export const createTrafficMetrics = (registry: Registry): TrafficMetrics => {
  const requests = createHistogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the headers of a request to the end of its answer, by method, template of the path and status',
    buckets: secondsOfRequests,
    labelsOf: (method = '', route = '', status = '') => ({ method, route, status }),
  });
  const operations = createHistogram({
    name: 'fds_graphql_operation_seconds',
    help: 'Time of operations at the GraphQL door, by type and outcome (success, partial, error); for a subscription, until it is open',
    buckets: secondsOfRequests,
    labelsOf: (type = '', outcome = '') => ({ type, outcome }),
  });
  const errors = new Counter({
    name: 'fds_graphql_errors_total',
    help: 'Errors in answers of the GraphQL door, by code',
    labelNames: ['code'],
    registers: [registry],
  });
  const webhooks = new Counter({
    name: 'fds_webhook_attempts_total',
    help: 'Requests to webhook receivers, of notifications and of webhook adaptors, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of webhookOutcomes) webhooks.inc({ outcome: outcome.toLowerCase() }, 0);
  return {
    countRequest: ({ method, route, status, ms }) =>
      requests.series(methods.has(method) ? method : 'other', route ?? 'unknown', String(status)).observe(ms / 1000),
    countOperation: ({ type, outcome, ms }) => operations.series(type, outcome.toLowerCase()).observe(ms / 1000),
    countGraphqlError: (code) => errors.inc({ code }),
    countWebhook: (outcome) => webhooks.inc({ outcome: outcome.toLowerCase() }),
    text: () => `${requests.text()}\n${operations.text()}`,
  };
};
