import { describeFaults, parseEnvelope, parseNumbering, receive, type SeenPosition } from '@fds/adaptor-protocol';
import type { UpMessage } from '@fds/adaptor-bus';
import type { Database } from '@fds/database';
import type { Log } from '@fds/service';
import type { AdaptorView } from '../domain/catalog.js';
import type { Relay } from '../relay/open-relay.js';
import { ensureChannels, loadChannels } from '../store/channels/channel.js';
import type { Acknowledge } from './create-acknowledge.js';
import type { BatchLoop } from './create-batch-loop.js';
import type { Handshakes } from './create-handshakes.js';
import type { MessageReader, ReceivedMessage } from './create-message-reader.js';
import { mayAskForGap, type Intake, type Intakes } from './intakes.js';

/** Takes the messages of `up/data`. Calls for one adaptor come one after another. */
export type TakeData = (message: UpMessage) => Promise<void>;

export interface DataTakerDependencies {
  readonly database: Database;
  readonly relay: Pick<Relay, 'position'>;
  readonly log: Log;
  readonly newUuid: () => string;
  /** The adaptor, if it is active. */
  readonly findActive: (adaptorUuid: string) => Promise<AdaptorView | undefined>;
  readonly handshakes: Pick<Handshakes, 'serves' | 'sendPosition'>;
  readonly intakes: Intakes;
  readonly reader: Pick<MessageReader, 'readData'>;
  readonly acknowledge: Acknowledge;
  readonly loop: Pick<BatchLoop, 'addAll'>;
  /** Events of the adaptor are queued; the promise settles with their commit and never rejects. */
  readonly onQueued: (adaptorUuid: string, settled: Promise<unknown>) => void;
}

/** A message whose place in its sequence is known as far as it has one. */
interface NumberedMessage extends ReceivedMessage {
  readonly epoch: string | undefined;
  readonly sequence: number | undefined;
}

export const createDataTaker = (dependencies: DataTakerDependencies): TakeData => {
  const { database, relay, log, newUuid, findActive, handshakes, intakes, reader, acknowledge, loop, onQueued } =
    dependencies;

  /** Undefined: the message has no number, so the adaptor sends the message of that place again. */
  const readNumber = (adaptorUuid: string, payload: Uint8Array): NumberedMessage | undefined => {
    const envelope = parseEnvelope(payload);
    const numbering = envelope.ok ? envelope.value : parseNumbering(payload);
    if (!envelope.ok) {
      const faults = describeFaults(envelope.faults);
      log.warn({ adaptorUuid, faults }, 'an adaptor sent a data message with a malformed envelope');
      if (numbering === undefined) return undefined;
    }
    return { payload, envelope, epoch: numbering?.epoch, sequence: numbering?.sequence };
  };

  const loadIntake = async (adaptorUuid: string): Promise<Intake> => {
    await ensureChannels(database.pool, [adaptorUuid], newUuid);
    return intakes.start(adaptorUuid, (await loadChannels(database.pool, [adaptorUuid])).get(adaptorUuid));
  };

  /**
   * Sends the committed position, not the taken one: the adaptor forgets the acknowledged messages. In an unknown sequence
   * the adaptor has to send its position; in the known one it only goes back.
   */
  const askForGap = async (adaptorUuid: string, intake: Intake, epoch: string | undefined): Promise<void> => {
    if (!mayAskForGap(intake, performance.now())) return;
    await handshakes.sendPosition(adaptorUuid, epoch === intake.epoch ? 'STATEMENT' : 'QUESTION');
  };

  /** @param position the messages that the adaptor had acknowledged when the message arrived */
  const queue = async (
    adaptor: AdaptorView,
    message: ReceivedMessage,
    {
      intake,
      place,
      position,
    }: {
      readonly intake: Intake;
      readonly place: { readonly epoch: string; readonly sequence: number };
      readonly position: SeenPosition | undefined;
    },
  ): Promise<void> => {
    const events = await reader.readData(adaptor, message);
    const seen = intakes.take(adaptor.uuid, intake, place) ?? position;
    const committed = loop.addAll(events.map((each) => ({ adaptor, ...each, position: place, seen })));
    onQueued(
      adaptor.uuid,
      committed.catch(() => undefined),
    );
  };

  return async ({ adaptorUuid, payload }) => {
    // before any wait: later acknowledgements do not apply to this event
    const position = relay.position(adaptorUuid);
    if (!(await handshakes.serves(adaptorUuid))) return;
    const adaptor = await findActive(adaptorUuid);
    if (adaptor === undefined) return;
    const message = readNumber(adaptorUuid, payload);
    if (message === undefined) return;
    const intake = intakes.find(adaptorUuid) ?? (await loadIntake(adaptorUuid));
    const { epoch, sequence } = message;
    const place = epoch === undefined || sequence === undefined ? undefined : { epoch, sequence };
    const reception = receive(intake, place ?? {});
    if (reception === 'DUPLICATE') return acknowledge(adaptorUuid, intake.epoch, intake.applied);
    if (reception === 'GAP' || place === undefined) return askForGap(adaptorUuid, intake, epoch);
    await queue(adaptor, message, { intake, place, position });
  };
};
