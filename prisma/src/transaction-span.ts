import type { SpanOptions } from '@fds/service';

/** The span of a transaction of the database. */
export const transactionSpan: SpanOptions = {
  name: 'transaction',
  kind: 'CLIENT',
  attributes: { 'db.system.name': 'postgresql' },
};
