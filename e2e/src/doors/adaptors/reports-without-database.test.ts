import { expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion } from '../../harness/catalogue.js';
import { postmasterPid } from '../../harness/embedded-database.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { connectWireAdaptor } from '../../harness/wire-adaptor.js';
import { openDoors } from '../open-doors.js';

it('shows an adaptor as DOWN that ended while the database was away', async () => {
  const leftovers = createLeftovers();
  try {
    const { dgs, root, service } = await openDoors(leftovers);
    await createVersion(dgs, {
      name: 'card',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const adaptor = await createAdaptor(dgs, root, { name: 'Leaving', capabilities: allActions('card') });
    const { ops, data } = await connectWireAdaptor(leftovers, service.busUrl, adaptor);
    const stateIs = (state: string): Promise<void> =>
      eventually(async () => {
        const { body } = await dgs.rest<{ state: string }>('GET', `/zones/${root}/adaptors/${adaptor.uuid}`);
        expect(body.state).toBe(state);
      });
    await stateIs('STARTED');
    // the service starts its database again
    process.kill(postmasterPid(service.dataDir), 'SIGKILL');
    await Promise.all([ops.endAsync(true), data.endAsync(true)]);
    await service.untilHealthy();
    await stateIs('DOWN');
    expect(service.process().output()).toContain('the state of an adaptor waits for the database');
  } finally {
    await leftovers.dispose();
  }
}, 120_000);
