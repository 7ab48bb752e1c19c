import type { RequestListener } from 'node:http';
import { AppError } from '@fds/errors';
import { problemType, renderProblem } from '@fds/rest-facade';
import { requestIdOf } from '@fds/service';

const retryAfterSeconds = '1';

const isAt = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** Answers requests before the application exists: 503 in the form of the door, with `Retry-After`. */
export const refuseWhileStarting: RequestListener = ({ url = '/', headers }, response) => {
  const [path = '/'] = url.split('?', 1);
  const requestId = requestIdOf(headers);
  const answer = (type: string, body: string): void => {
    response
      .writeHead(503, { 'content-type': type, 'retry-after': retryAfterSeconds, 'x-request-id': requestId })
      .end(body);
  };
  const error = new AppError('UNAVAILABLE', 'the service is starting');
  if (isAt(path, '/health')) return answer('application/json', '{"status":"DOWN","detail":"starting"}');
  if (isAt(path, '/graphql')) {
    const extensions = { ...error.extensions, requestId };
    return answer(
      'application/json; charset=utf-8',
      JSON.stringify({ errors: [{ message: error.message, extensions }] }),
    );
  }
  // the page of errors is on the same server
  const place = { errorsPage: '/docs/errors', instance: path, requestId };
  return answer(problemType, renderProblem(error, place).body);
};
