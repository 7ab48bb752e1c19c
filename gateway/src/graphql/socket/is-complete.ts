import { isJsonObject } from '@fds/json';

/** Such a message consists of a type and an id; a longer message waits like any other. */
const maxBytes = 1_024;

/** Does a client end an operation with this message? */
export const isComplete = (data: Buffer): boolean => {
  if (data.length > maxBytes || !data.includes('complete')) return false;
  try {
    const message: unknown = JSON.parse(data.toString('utf8'));
    return isJsonObject(message) && message.type === 'complete';
  } catch {
    return false;
  }
};
