import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AdaptorWorld, openAdaptorWorld } from '../testing/adaptor-world.js';
import { eventually } from '../testing/eventually.js';
import { loadConfiguration } from './load-configuration.js';

let world: AdaptorWorld;
beforeEach(async () => {
  world = await openAdaptorWorld();
});
afterEach(async () => {
  delete process.env['CHECKED_FOLDER'];
  await world.close();
});

describe('the check of a configuration', () => {
  it('gets it with its variables replaced, and does not disturb a running process of the adaptor', async () => {
    process.env['CHECKED_FOLDER'] = '/srv/in';
    const applied: unknown[] = [];
    const adaptor = await world.start({ apply: ({ json }) => void applied.push(json['n']) });
    await eventually(() => world.server.states.includes('STARTED'));
    const configuration = await loadConfiguration({ environment: {}, file: world.properties });
    expect(configuration.metadata).toEqual({ folder: '/srv/in' });
    world.server.send([world.change(1)]);
    await eventually(() => world.memory.down.sender.acked === 1);
    expect([applied, adaptor.state, world.server.states]).toEqual([[1], 'STARTED', ['STARTING', 'STARTED']]);
  });

  it('names a variable that is not set', async () => {
    await expect(loadConfiguration({ environment: {}, file: world.properties })).rejects.toThrow('CHECKED_FOLDER');
  });

  it('says that the bus refuses the credentials, or cannot be reached', async () => {
    const file = { ...world.properties, 'client.id': 'another' };
    await expect(loadConfiguration({ environment: {}, file })).rejects.toThrow(/the message bus refuses adaptor/);
    const away = { ...world.properties, 'message.bus.url': 'tcp://127.0.0.1:1' };
    await expect(loadConfiguration({ environment: {}, file: away }, 200)).rejects.toThrow(/cannot be reached/);
  });
});
