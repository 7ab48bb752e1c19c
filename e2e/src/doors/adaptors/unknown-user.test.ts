import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import { adaptorProperties } from '../../harness/adaptor-properties.js';
import { createAdaptor, type CreatedAdaptor } from '../../harness/catalogue.js';
import { createLeftovers } from '../../harness/leftovers.js';
import { type Mosquitto, mosquittoMissing, mosquittoSettings, startMosquitto } from '../../harness/mosquitto.js';
import { openDoors, type Doors } from '../open-doors.js';

const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;
const nothing = (): void => undefined;

(mosquittoMissing === undefined ? describe : describe.skip)(`an adaptor that Mosquitto refuses${why}`, () => {
  const leftovers = createLeftovers();
  let broker: Mosquitto;
  let doors: Doors;
  let adaptor: CreatedAdaptor;
  let errors: string[];
  let number = 0;

  beforeAll(async () => {
    broker = await startMosquitto(leftovers);
    doors = await openDoors(leftovers, mosquittoSettings(broker));
  }, 120_000);
  beforeEach(async () => {
    errors = [];
    number += 1;
    adaptor = await createAdaptor(doors.dgs, doors.root, { name: `refused ${number}`, capabilities: [] });
  });
  afterAll(() => leftovers.dispose(), 60_000);

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    const service = { baseUrl: doors.service.baseUrl, busUrl: broker.url };
    const running = await startAdaptor({
      handlers: {},
      log: { error: (_detail, message) => void errors.push(message), warn: nothing, info: nothing, debug: nothing },
      properties: { ...adaptorProperties(leftovers, service, adaptor), ...more },
    });
    leftovers.add(() => running.stop());
    return running;
  };
  const unknown = () =>
    expect.stringMatching(
      new RegExp(
        `^the broker at ${broker.url} does not know user ${adaptor.uuid}, .*external-broker; the adaptor tries again$`,
      ),
    );
  const admit = (password: string): Promise<void> => broker.admit(adaptor.clientId, password);

  it("names the broker's users where its user is missing, and starts when an operator adds it", async () => {
    const running = await start();
    expect(errors).toEqual([unknown()]);
    await admit(adaptor.clientSecret);
    await eventually(() => expect(running.state).toBe('STARTED'));
    expect(errors).toHaveLength(1);
  }, 60_000);

  it('says the same where the broker has another password, and starts when it is corrected', async () => {
    await admit('another-password');
    const running = await start();
    expect(errors).toEqual([unknown()]);
    await admit(adaptor.clientSecret);
    await eventually(() => expect(running.state).toBe('STARTED'));
  }, 60_000);

  it('says it when the broker comes later, and again when the user is taken away', async () => {
    await broker.kill();
    const running = await start();
    expect(errors).toEqual([]);
    await broker.start();
    await eventually(() => expect(errors).toEqual([unknown()]));
    await admit(adaptor.clientSecret);
    await eventually(() => expect(running.state).toBe('STARTED'));
    // a broker reads its passwords when a client connects
    await admit('another-password');
    await broker.kill();
    await broker.start();
    await eventually(() => expect(errors).toEqual([unknown(), unknown()]));
    await admit(adaptor.clientSecret);
    await eventually(async () => {
      const path = `/zones/${doors.root}/adaptors/${adaptor.uuid}`;
      expect((await doors.dgs.rest('GET', path)).body).toMatchObject({ state: 'STARTED' });
    });
  }, 90_000);

  it('ends where its secret is wrong for the authorization server too', async () => {
    await expect(start({ 'client.secret': 'wrong-secret' })).rejects.toThrow('check client.id and client.secret');
    expect(errors).toEqual([]);
  }, 60_000);
});
