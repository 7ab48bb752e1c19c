import {
  carriedEvents,
  describeFaults,
  receive,
  type CarriedEvent,
  type Fault,
  type Reception,
  type SeenPosition,
} from '@fds/adaptor-protocol';
import type { UpMessage } from '@fds/adaptor-bus';
import type { Database } from '@fds/database';
import { startSpan, type Log, type Span } from '@fds/service';
import type { AdaptorView } from '../../domain/catalog.js';
import { isDataEvent } from '../../domain/events/incoming-event.js';
import type { Arrival as EventArrival } from '../../domain/events/event-meter.js';
import type { Relay } from '../relay/open-relay.js';
import { ensureChannels, loadChannels } from '../../store/channels/channel.js';
import type { Acknowledge } from './create-acknowledge.js';
import type { BatchLoop } from './create-batch-loop.js';
import type { Handshakes } from './create-handshakes.js';
import type { MessageReader, ReceivedMessage } from './create-message-reader.js';
import { createUncommittedBytes } from './uncommitted-bytes.js';
import { holdsWholeWindow, mayAskForGap, type Intake, type Intakes } from './intakes.js';

/** Takes the messages of `up/data`. Calls for one adaptor come one after another. */
export type TakeData = (message: UpMessage) => Promise<void>;

export interface DataTakerDependencies {
  readonly database: Database;
  readonly relay: Pick<Relay, 'position'>;
  readonly log: Log;
  readonly newUuid: () => string;
  /** The adaptor, if it is active. */
  readonly findActive: (adaptorUuid: string) => Promise<AdaptorView | undefined>;
  readonly handshakes: Pick<Handshakes, 'serves' | 'sendPosition' | 'refuseBatches'>;
  readonly intakes: Intakes;
  readonly reader: Pick<MessageReader, 'readData'>;
  readonly acknowledge: Acknowledge;
  readonly loop: Pick<BatchLoop, 'addAll'>;
  /** Events of the adaptor are queued; the promise settles with their commit and never rejects. */
  readonly onQueued: (adaptorUuid: string, settled: Promise<unknown>) => void;
  /** A message arrived, alone or in a batch. It must not throw. */
  readonly onArrival: (arrival: EventArrival) => void;
}

/** An event of an adaptor, alone or in a batch. */
interface Arrival {
  readonly adaptor: AdaptorView;
  readonly event: CarriedEvent;
  readonly payload: Uint8Array;
  /** Its share of the payload. */
  readonly bytes: number;
  /** The messages that the adaptor had acknowledged when the payload arrived. */
  readonly position: SeenPosition | undefined;
}

/** The span of a message, from its arrival to its commit; undefined where its trace is not recorded. */
const spanOf = ({ envelope }: CarriedEvent): Span | undefined => {
  if (!envelope.ok) return undefined;
  const { type, traceparent } = envelope.value;
  const span = startSpan({
    name: 'receive up/data',
    kind: 'CONSUMER',
    parent: traceparent ?? '',
    // reports of links come with every message that was applied
    mayBegin: type === 'fds.data.v1',
    attributes: { 'messaging.system': 'mqtt', 'messaging.operation.type': 'receive' },
  });
  return span?.isRecorded === true ? span : undefined;
};

export const createDataTaker = (dependencies: DataTakerDependencies): TakeData => {
  const {
    database,
    relay,
    log,
    newUuid,
    findActive,
    handshakes,
    intakes,
    reader,
    acknowledge,
    loop,
    onQueued,
    onArrival,
  } = dependencies;

  const uncommittedBytes = createUncommittedBytes();

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

  const queue = async (
    { adaptor, event, payload, bytes, position }: Arrival,
    intake: Intake,
    place: { readonly epoch: string; readonly sequence: number },
  ): Promise<void> => {
    const span = spanOf(event);
    const receivedAt = Date.now();
    const message: ReceivedMessage = { ...event, payload };
    const events = await reader.readData(adaptor, message);
    const seen = intakes.take(adaptor.uuid, intake, place) ?? position;
    const isResent = event.envelope.ok && event.envelope.value.resent === true;
    const settled = loop
      .addAll(
        events.map((each) => ({
          adaptor,
          ...each,
          position: place,
          seen,
          receivedAt,
          isResent,
          ...(span && { span }),
        })),
      )
      .then(
        () => span?.end(),
        () => span?.end('NOT_COMMITTED'),
      );
    uncommittedBytes.hold(adaptor.uuid, bytes, settled);
    onQueued(adaptor.uuid, settled);
    if (events.some(({ event: each }) => isDataEvent(each))) onArrival('accepted');
  };

  /** Undefined: the event has no place, so the adaptor sends the event of that place again. */
  const takeEvent = async (arrival: Arrival): Promise<Reception | undefined> => {
    const { adaptor, event, bytes } = arrival;
    const { uuid: adaptorUuid } = adaptor;
    const { envelope, numbering } = event;
    if (!envelope.ok) {
      const faults = describeFaults(envelope.faults);
      log.warn({ adaptorUuid, faults }, 'an adaptor sent a data message with a malformed envelope');
      if (numbering === undefined) {
        onArrival('malformed');
        return undefined;
      }
    }
    const intake = intakes.find(adaptorUuid) ?? (await loadIntake(adaptorUuid));
    const reception = receive(intake, numbering ?? {});
    if (reception === 'DUPLICATE') {
      onArrival('duplicate');
      return reception;
    }
    const isTooMuch = holdsWholeWindow(intake) || !uncommittedBytes.hasRoomFor(adaptorUuid, bytes);
    if (reception === 'GAP' || numbering === undefined || isTooMuch) {
      onArrival(isTooMuch && reception !== 'GAP' ? 'postponed' : 'gap');
      await askForGap(adaptorUuid, intake, envelope.ok ? envelope.value.epoch : numbering?.epoch);
      return 'GAP';
    }
    await queue(arrival, intake, numbering);
    return reception;
  };

  const refuseBatch = async (adaptorUuid: string, faults: readonly Fault[]): Promise<void> => {
    log.warn({ adaptorUuid, faults: describeFaults(faults) }, 'an adaptor sent a batch with a wrong frame');
    onArrival('malformed');
    handshakes.refuseBatches(adaptorUuid);
    const intake = intakes.find(adaptorUuid) ?? (await loadIntake(adaptorUuid));
    await askForGap(adaptorUuid, intake, intake.epoch ?? undefined);
  };

  return async ({ adaptorUuid, payload }) => {
    // before any wait: later acknowledgements do not apply to these events
    const position = relay.position(adaptorUuid);
    if (!(await handshakes.serves(adaptorUuid))) return;
    const adaptor = await findActive(adaptorUuid);
    if (adaptor === undefined) return;
    const carried = carriedEvents(payload);
    if (!carried.ok) return refuseBatch(adaptorUuid, carried.faults);
    const bytes = Math.ceil(payload.byteLength / carried.value.length);
    let hasDuplicates = false;
    for (const event of carried.value) {
      const reception = await takeEvent({ adaptor, event, payload, bytes, position });
      // the numbers that follow are further beyond
      if (reception === 'GAP') break;
      hasDuplicates ||= reception === 'DUPLICATE';
    }
    const intake = intakes.find(adaptorUuid);
    if (hasDuplicates && intake !== undefined) acknowledge(adaptorUuid, intake.epoch, intake.applied);
  };
};
