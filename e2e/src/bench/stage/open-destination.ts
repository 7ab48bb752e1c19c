import { adaptorProperties } from '../../harness/adaptor-properties.js';
import { requireStatus, type CreatedAdaptor } from '../../harness/catalogue.js';
import { eventually } from '@fds/testing';
import { openReceiver, type Receiver } from '../receiver/open-receiver.js';
import type { Stage } from './open-stage.js';

/** An adaptor of the SDK in a separate process that applies every event at once. It is in the state PLAY. */
export interface Destination extends Receiver {
  /** Pauses the adaptor by REST and waits until it reports the state. */
  pause(): Promise<void>;
  /** Sends PLAY by REST, and only waits for the answer. */
  play(): Promise<void>;
  untilPlaying(): Promise<void>;
}

export const openDestination = async (
  { steward, service, leftovers }: Stage,
  zoneUuid: string,
  adaptor: CreatedAdaptor,
): Promise<Destination> => {
  const receiver = await openReceiver(leftovers, {
    kind: 'ADAPTOR',
    properties: adaptorProperties(leftovers, service, adaptor),
  });
  const path = `/zones/${zoneUuid}/adaptors/${adaptor.uuid}`;
  const ask = async (state: 'PLAY' | 'PAUSE'): Promise<void> => {
    requireStatus(await steward.rest('PATCH', path, { state }), 200);
  };
  const until = (state: 'STARTED' | 'PAUSED'): Promise<void> =>
    eventually(async () => {
      const { body } = await steward.rest<{ state: string }>('GET', path);
      if (body.state !== state) throw new Error(`the adaptor is ${body.state}, not ${state}`);
    });
  await until('STARTED');
  return {
    receive: receiver.receive,
    pause: async () => {
      await ask('PAUSE');
      await until('PAUSED');
    },
    play: () => ask('PLAY'),
    untilPlaying: () => until('STARTED'),
  };
};
