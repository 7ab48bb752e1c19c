import { stringifyJson } from '@fds/adaptor-protocol';
import { createHash } from 'node:crypto';
import type { Question } from './adaptor-questions.js';

/** Equal for questions that an adaptor cannot distinguish except by the time-out. */
export const questionKey = (adaptorUuid: string, question: Question): string =>
  createHash('sha256')
    .update(adaptorUuid)
    .update(stringifyJson({ ...question, timeoutMilliseconds: 0 }))
    .digest('base64');
