import { randomUUID } from 'node:crypto';
import type { AnsweredRecord, AssemblyAnswer, AssemblyRequest, Attributes } from '@fds/adaptor-protocol';
import type { Hub } from './hub.js';

/** A request without an answer is sent again, because the adaptor may have been connecting. */
const repeatRequestMs = 1_000;

/** The time that a request gives the adaptor. */
const timeoutMilliseconds = 30_000;

/** The requests of the hub for records, which wait for answers of the adaptor. */
export interface Questions {
  readonly ask: Hub['ask'];
  /** Takes an answer of the adaptor. */
  answer(answer: AssemblyAnswer): void;
  /** Rejects everything that waits. */
  close(): void;
}

export interface QuestionOptions {
  /** Makes the attributes of a message. */
  readonly stamp: () => Omit<Attributes, 'type'>;
  /** Publishes a request. A repetition has the same attributes. */
  readonly publish: (attributes: Omit<Attributes, 'type'>, data: AssemblyRequest) => void;
  readonly domainVersionUuid: string;
  /** Maximum time for an answer. */
  readonly patienceMs: number;
}

export const createQuestions = ({ stamp, publish, domainVersionUuid, patienceMs }: QuestionOptions): Questions => {
  const asked = new Map<string, { readonly records: AnsweredRecord[]; readonly done: (error?: Error) => void }>();
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const requestUuid = randomUUID();
        const records: AnsweredRecord[] = [];
        const timeout = setTimeout(() => done(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
        let repetition: NodeJS.Timeout | undefined;
        const done = (error?: Error): void => {
          clearTimeout(timeout);
          clearInterval(repetition);
          asked.delete(requestUuid);
          if (error === undefined) resolve(records);
          else reject(error);
        };
        asked.set(requestUuid, { records, done });
        const said = stamp();
        const expirytime = new Date(Date.parse(said.time) + timeoutMilliseconds).toISOString();
        const attributes = { ...said, correlationid: requestUuid, expirytime };
        const data = { ...request, requestUuid, domainVersionUuid, requestedProperties: null, timeoutMilliseconds };
        const send = (): void => publish(attributes, data);
        send();
        repetition = setInterval(send, repeatRequestMs);
      }),
    answer: ({ requestUuid, records, error, last }) => {
      const waiting = asked.get(requestUuid);
      if (waiting === undefined) return;
      waiting.records.push(...records);
      if (error !== undefined) waiting.done(new Error(`the adaptor answers ${error.code}: ${error.message}`));
      else if (last) waiting.done();
    },
    close: () => {
      for (const { done } of asked.values()) done(new Error('the hub was closed'));
    },
  };
};
