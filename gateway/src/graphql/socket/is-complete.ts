import { isJsonObject } from '@fds/json';

/** Such a message has a type and an id; a longer one waits like every other. */
const maxBytes = 1_024;

/** Is it the message by which a client ends an operation? */
export const isComplete = (data: Buffer): boolean => {
  if (data.length > maxBytes || !data.includes('complete')) return false;
  try {
    const message: unknown = JSON.parse(data.toString('utf8'));
    return isJsonObject(message) && message.type === 'complete';
  } catch {
    return false;
  }
};
