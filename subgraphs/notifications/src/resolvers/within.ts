import { AppError } from '@fds/errors';

/** Returns the result if it arrives in time. @throws AppError QUERY_TIMEOUT */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('QUERY_TIMEOUT', `there was no answer within ${ms / 1000} seconds`));
    }, ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
