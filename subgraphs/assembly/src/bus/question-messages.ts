import {
  buildMessage,
  maxPayloadBytes,
  type RequestedRecord,
  serverSource,
  stringifyJson,
} from '@fds/adaptor-protocol';
import { recordedTraceparent } from '@fds/service';
import { AdaptorRefusal, type Question } from './adaptor-questions.js';

/** A message on `down/req`. */
export interface QuestionMessage {
  readonly requestUuid: string;
  /** Uuids of the requested records; undefined means all. An answer may also identify a record by its key. */
  readonly wanted: ReadonlySet<string> | undefined;
  readonly payload: string;
}

export interface QuestionStamp {
  readonly sentAt: Date;
  readonly replyInstance: string;
  readonly newUuid: () => string;
}

const messageOf = (question: Question, { sentAt, replyInstance, newUuid }: QuestionStamp): QuestionMessage => {
  const requestUuid = newUuid();
  // several callers may ask the same: the first one names the trace
  const traceparent = recordedTraceparent();
  return {
    requestUuid,
    wanted: question.records === null ? undefined : new Set(question.records.map(({ drUuid }) => drUuid)),
    payload: buildMessage('down/req', {
      id: newUuid(),
      source: serverSource,
      type: 'fds.assembly.request.v1',
      time: sentAt.toISOString(),
      correlationid: requestUuid,
      expirytime: new Date(sentAt.getTime() + question.timeoutMilliseconds).toISOString(),
      replyinstance: replyInstance,
      ...(traceparent === undefined ? {} : { traceparent }),
      data: { ...question, requestUuid },
    }),
  };
};

const fits = ({ payload }: QuestionMessage): boolean => Buffer.byteLength(payload) <= maxPayloadBytes;

const tooLarge = (): AdaptorRefusal =>
  new AdaptorRefusal('QUESTION_TOO_LARGE', `the question does not fit into ${maxPayloadBytes} bytes`);

/** Splits the records into lists of at most this many bytes. */
const cutRecords = (records: readonly RequestedRecord[], maxBytes: number): RequestedRecord[][] => {
  const lists: RequestedRecord[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const size = Buffer.byteLength(stringifyJson(record)) + 1;
    if (size > maxBytes) throw tooLarge();
    if (bytes + size > maxBytes) {
      lists.push([]);
      bytes = 0;
    }
    lists.at(-1)?.push(record);
    bytes += size;
  }
  return lists;
};

/**
 * The question as one message, or as several messages with a part of the records each when one does not fit on the bus.
 *
 * @throws AdaptorRefusal QUESTION_TOO_LARGE when splitting does not make it fit
 */
export const questionMessages = (question: Question, stamp: QuestionStamp): readonly QuestionMessage[] => {
  const whole = messageOf(question, stamp);
  if (fits(whole)) return [whole];
  if (question.records === null) throw tooLarge();
  const empty = messageOf({ ...question, records: [] }, stamp);
  const room = maxPayloadBytes - Buffer.byteLength(empty.payload);
  return cutRecords(question.records, room).map((records) => messageOf({ ...question, records }, stamp));
};
