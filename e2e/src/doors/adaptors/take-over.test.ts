import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildMessage, clientIdOf, topicOf } from '@fds/adaptor-protocol';
import { eventually } from '@fds/testing';
import mqtt from 'mqtt';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { mosquittoMissing, mosquittoSettings, startMosquitto, type Mosquitto } from '../../harness/mosquitto.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { connectWireAdaptor, stampOf } from '../../harness/wire-adaptor.js';
import { openDoors, type Doors } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';

const version = {
  domainType: 'FEDERATED',
  properties: { id: { type: 'string' }, name: { type: 'string' } },
  drKeyProperties: ['id'],
} as const;

const stateOf = async ({ dgs, root }: Doors, { uuid }: CreatedAdaptor) =>
  requireStatus(await dgs.rest('GET', `/zones/${root}/adaptors/${uuid}`), 200).body;

describe('a process without a name', () => {
  const { doors, leftovers } = shareDoors();
  const newAdaptor = (name: string): Promise<CreatedAdaptor> =>
    createAdaptor(doors.dgs, doors.root, { name, capabilities: [] });

  it('makes a process of the SDK with the same credentials end', async () => {
    const adaptor = await newAdaptor('named and nameless');
    const named = await startSourceAdaptor(leftovers, doors.service, adaptor, {});
    await eventually(() => expect(named.state).toBe('STARTED'));
    const { uuid, clientId: username, clientSecret: password } = adaptor;
    const connection = { clientId: clientIdOf(uuid, 'ops'), username, password, reconnectPeriod: 0 };
    const nameless = await mqtt.connectAsync(doors.service.busUrl, connection);
    // it reports STARTING before the named process returns, which waits for at least 100 ms
    const data = { state: 'STARTING', sdk: { name: 'fds-wire', version: '1' } } as const;
    const starting = buildMessage('up/status', { ...stampOf(adaptor), type: 'fds.status.v1', data });
    nameless.publish(topicOf({ adaptorUuid: uuid, channel: 'up/status' }), starting, { qos: 1 });
    expect(await named.stopped).toBe('SUPERSEDED');
    await nameless.endAsync(true);
    const { ops } = await connectWireAdaptor(leftovers, doors.service.busUrl, adaptor);
    await eventually(async () => expect(await stateOf(doors, adaptor)).toMatchObject({ state: 'STARTED' }));
    expect(ops.connected).toBe(true);
  }, 60_000);

  it('appears in the state message after it and another process have started several times', async () => {
    const adaptor = await newAdaptor('nameless twice');
    const topic = topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/status' });
    const sdk = { name: 'fds-wire', version: '1' };
    const once = await connectWireAdaptor(leftovers, doors.service.busUrl, adaptor);
    await eventually(async () => expect(await stateOf(doors, adaptor)).toMatchObject({ state: 'STARTED' }));
    expect(await stateOf(doors, adaptor)).toMatchObject({ stateMessage: null });
    let last = once;
    // each process connects and thereby ends the connection of the other
    for (let start = 0; start < 6; start += 1) {
      last = await connectWireAdaptor(leftovers, doors.service.busUrl, adaptor);
    }
    await eventually(async () =>
      expect(await stateOf(doors, adaptor)).toMatchObject({
        state: 'STARTED',
        stateMessage: expect.stringMatching(
          /^two processes seem to use the same credentials: 6 starts within a minute/,
        ),
      }),
    );
    await eventually(() =>
      expect(doors.service.process().output()).toContain('two processes seem to use the same credentials'),
    );
    // a fault that the adaptor reports itself takes precedence
    const data = { state: 'ERROR', stateMessage: 'no such table', sdk } as const;
    await last.ops.publishAsync(
      topic,
      buildMessage('up/status', { ...stampOf(adaptor), type: 'fds.status.v1', data }),
      { qos: 1 },
    );
    await eventually(async () =>
      expect(await stateOf(doors, adaptor)).toMatchObject({ state: 'ERROR', stateMessage: 'no such table' }),
    );
  }, 60_000);
});

const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;

(mosquittoMissing === undefined ? describe : describe.skip)(`a take-over on Mosquitto${why}`, () => {
  const leftovers = createLeftovers();
  let broker: Mosquitto;
  let doors: Doors;

  beforeAll(async () => {
    broker = await startMosquitto(leftovers);
    doors = await openDoors(leftovers, mosquittoSettings(broker));
  }, 120_000);
  afterAll(() => leftovers.dispose(), 60_000);

  it('ends the earlier process, and the later one exchanges events', async () => {
    await createVersion(doors.dgs, { ...version, name: 'taken_over' });
    const capabilities = allActions('taken_over');
    const [adaptor, other] = [
      await createAdaptor(doors.dgs, doors.root, { name: 'taken over', capabilities }),
      await createAdaptor(doors.dgs, doors.root, { name: 'source', capabilities }),
    ];
    for (const { clientId, clientSecret } of [adaptor, other]) await broker.admit(clientId, clientSecret);
    const service = { baseUrl: doors.service.baseUrl, busUrl: broker.url };
    const earlier = await startSourceAdaptor(leftovers, service, adaptor, {});
    await eventually(() => expect(earlier.state).toBe('STARTED'));
    const applied: unknown[] = [];
    const later = await startSourceAdaptor(leftovers, service, adaptor, {
      apply: ({ json }) => void applied.push(json['name']),
    });
    expect(await earlier.stopped).toBe('SUPERSEDED');
    const source = await startSourceAdaptor(leftovers, service, other, {});
    await source.publish({ action: 'POST', domain: 'taken_over', version: 1, json: { id: '1', name: 'Ada' } });
    await eventually(() => expect(applied).toEqual(['Ada']));
    expect(later.state).toBe('STARTED');
    await eventually(async () => expect(await stateOf(doors, adaptor)).toMatchObject({ state: 'STARTED' }));
  }, 90_000);
});
