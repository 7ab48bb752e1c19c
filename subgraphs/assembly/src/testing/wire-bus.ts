import type { UpHandler, UpKind, UpObserver } from '@fds/adaptor-bus';
import {
  adaptorSource,
  buildMessage,
  parseMessage,
  type AssemblyAnswer,
  type Message,
  type StatusReport,
} from '@fds/adaptor-protocol';
import { v7 as newUuid } from 'uuid';
import type { QuestionBus } from '../bus/create-adaptor-questions.js';

/** A question that an adaptor received. */
export interface HeardQuestion {
  readonly adaptorUuid: string;
  readonly message: Message<'down/req'>;
  /** Bytes on the wire. */
  readonly bytes: number;
}

/** A bus in memory. A test simulates its adaptors. */
export interface WireBus {
  readonly bus: QuestionBus;
  /** Every question that was sent, in order. */
  readonly questions: readonly HeardQuestion[];
  /** Publishes one part of an answer. By default it is the only part, and comes from the adaptor that was asked. */
  answer(question: HeardQuestion, answer?: Partial<AssemblyAnswer>, adaptorUuid?: string): void;
  /** Publishes any payload on `up/rsp`. */
  say(adaptorUuid: string, payload: string | Uint8Array): void;
  report(adaptorUuid: string, state: StatusReport['state']): void;
}

/** @param hear called for each question, in the turn after it was sent */
export const createWireBus = (hear: (question: HeardQuestion) => void = () => undefined): WireBus => {
  const handlers = new Map<UpKind, UpHandler>();
  const observers: (readonly [UpKind, UpObserver])[] = [];
  const questions: HeardQuestion[] = [];

  const publishUp = (adaptorUuid: string, kind: UpKind, payload: string | Uint8Array): void => {
    const message = { adaptorUuid, kind, payload: Buffer.from(payload) };
    for (const [observed, observer] of observers) if (observed === kind) observer(message);
    void handlers.get(kind)?.(message);
  };
  const stampOf = (adaptorUuid: string) => ({
    id: newUuid(),
    source: adaptorSource(adaptorUuid),
    time: new Date().toISOString(),
  });

  return {
    bus: {
      replyInstance: 'this-process',
      handle: (kind, handler) => void handlers.set(kind, handler),
      observe: (kind, observer) => void observers.push([kind, observer]),
      publish: async (adaptorUuid, _kind, payload) => {
        const parsed = parseMessage('down/req', Buffer.from(payload));
        if (!parsed.ok) throw new Error(`the question is not valid: ${JSON.stringify(parsed.faults)}`);
        const question = { adaptorUuid, message: parsed.value, bytes: Buffer.byteLength(payload) };
        questions.push(question);
        void Promise.resolve(question).then(hear);
      },
    },
    questions,
    answer: ({ adaptorUuid, message }, answer = {}, sender = adaptorUuid) => {
      const { requestUuid, records } = message.data;
      const data: AssemblyAnswer = {
        requestUuid,
        part: 1,
        last: true,
        records: (records ?? []).map((record) => ({ ...record, data: { ...record.drKey } })),
        ...answer,
      };
      const stamp = { ...stampOf(sender), correlationid: requestUuid };
      publishUp(sender, 'rsp', buildMessage('up/rsp', { ...stamp, type: 'fds.assembly.answer.v1', data }));
    },
    say: (adaptorUuid, payload) => publishUp(adaptorUuid, 'rsp', payload),
    report: (adaptorUuid, state) => {
      const data = { state, sdk: { name: 'test', version: '1' } };
      publishUp(
        adaptorUuid,
        'status',
        buildMessage('up/status', { ...stampOf(adaptorUuid), type: 'fds.status.v1', data }),
      );
    },
  };
};
