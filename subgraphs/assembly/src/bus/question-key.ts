import { stringifyJson } from '@fds/adaptor-protocol';
import { createHash } from 'node:crypto';
import type { Question } from './adaptor-questions.js';

/** Equal for questions to one adaptor that it sees as equal, but for the time-out. */
export const questionKey = (adaptorUuid: string, question: Question): string =>
  createHash('sha256')
    .update(adaptorUuid)
    .update(stringifyJson({ ...question, timeoutMilliseconds: 0 }))
    .digest('base64');
