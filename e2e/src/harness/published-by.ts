import { requireStatus } from './catalogue.js';
import type { Client } from './client.js';

interface Metrics {
  readonly adaptorMetricsDetail: readonly {
    readonly type: string;
    readonly dateCount: readonly { readonly count: number }[];
  }[];
}

/** Number of data events that an adaptor has published. */
export const publishedBy = async (client: Pick<Client, 'rest'>, zone: string, uuid: string): Promise<number> => {
  const path = `/zones/${zone}/adaptors/${uuid}/metrics?filters=type:SENT,period:DAY`;
  const { body } = requireStatus(await client.rest<Metrics>('GET', path), 200);
  return body.adaptorMetricsDetail.flatMap(({ dateCount }) => dateCount).reduce((total, { count }) => total + count, 0);
};
