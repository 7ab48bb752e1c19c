import {
  type Attributes,
  buildBatch,
  buildMessage,
  type DownDataEvent,
  nextMessages,
  nextToSend,
  type Sender,
  sentMessages,
  windowBytes,
} from '@fds/adaptor-protocol';

/** An adaptor without traces ignores it. The trace is not recorded, so an adaptor with traces sends no spans. */
export const someTrace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

interface Sending {
  readonly sender: Sender;
  readonly payloads: readonly string[];
}

/** The first events, as many as the bytes of a window allow. */
const withinWindow = (events: readonly DownDataEvent[]): readonly DownDataEvent[] => {
  let bytes = 0;
  const end = events.findIndex(({ jsonData }) => (bytes += jsonData.length) > windowBytes);
  return end === -1 ? events : events.slice(0, end + 1);
};

/**
 * The payloads of `down/data` that may be sent now, in batches if the receiver accepts them, and the sender after that.
 *
 * @param events queued events; the first one has the number 1
 */
export const nextPayloads = (
  sender: Sender,
  events: readonly DownDataEvent[],
  { stamp, nowMs }: { readonly stamp: () => Omit<Attributes, 'type'>; readonly nowMs: number },
): Sending => {
  const range = nextToSend(sender);
  if (range === undefined) return { sender, payloads: [] };
  const { epoch } = sender;
  const waiting = withinWindow(events.slice(range.from - 1, range.to)).map((data, index) => {
    const sequence = range.from + index;
    const place = { partitionkey: data.messageGroup, subject: data.drUuid, sequence };
    const write = (more: { readonly epoch?: string }): string =>
      buildMessage('down/data', { ...stamp(), ...place, ...more, type: 'fds.data.v1', traceparent: someTrace, data });
    const inBatch = write({});
    return { sequence, bytes: Buffer.byteLength(inBatch), inBatch, alone: () => write({ epoch }) };
  });
  const messages = nextMessages(sender, waiting);
  const payloads = messages.map((message) => {
    const [first] = message;
    return message.length === 1 && first !== undefined
      ? first.alone()
      : buildBatch(
          { ...stamp(), epoch },
          message.map(({ inBatch }) => inBatch),
        );
  });
  const sentNow = messages.map((message, at) => ({
    upto: message.at(-1)?.sequence ?? 0,
    bytes: Buffer.byteLength(payloads[at] ?? ''),
  }));
  return { sender: sentMessages(sender, sentNow, nowMs), payloads };
};
