import { expect } from '@jest/globals';
import { stringifyJson, type JsonValue } from '@fds/adaptor-protocol';
import { ApplyError, type IncomingEvent } from '@fds/adaptor-sdk';
import { randomUUID } from 'node:crypto';

/** An event for a table of a test, about a record whose DR Key has one value. */
export const incomingEvent = (
  key: JsonValue,
  given: Pick<IncomingEvent, 'action'> & Partial<IncomingEvent>,
): IncomingEvent => {
  const { drUuid = randomUUID() } = given;
  return {
    json: {},
    drKeyValues: [key],
    drKey: stringifyJson([key]),
    jsonData: '{}',
    domain: 'thing',
    version: 1,
    domainVersionUuid: randomUUID(),
    sourceAdaptorUuid: null,
    destinationAdaptorUuid: randomUUID(),
    transactionUuid: randomUUID(),
    createTime: 0,
    messageGroup: drUuid,
    position: { epoch: randomUUID(), sequence: 1 },
    ...given,
    drUuid,
  };
};

/** The error with which an event is refused. */
export const refusalOf = async (work: Promise<unknown>): Promise<ApplyError> => {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ApplyError);
  return error as ApplyError;
};
