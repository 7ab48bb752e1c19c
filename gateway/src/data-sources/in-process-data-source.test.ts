import { silent } from '../testing/sample-gateway.js';
import { describeDataSource } from './data-source.contract.js';
import { createInProcessDataSource } from './in-process-data-source.js';

describeDataSource('in process', async (subgraphs, name) => ({
  source: createInProcessDataSource(subgraphs[name], silent),
  close: async () => undefined,
}));
