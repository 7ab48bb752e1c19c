import { Refused } from '@fds/rest-facade/configuration';

/** Exit statuses of `fds`. */
export const exitStatus = {
  done: 0,
  fault: 1,
  usage: 2,
  notSignedIn: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
} as const;

const httpStatusOf: ReadonlyMap<number, number> = new Map([
  [exitStatus.forbidden, 403],
  [exitStatus.notFound, 404],
]);

/** The end of a command that failed: a message for the user, and the exit status. */
export class Failure extends Refused {
  constructor(
    readonly status: number,
    message: string,
    code?: string,
  ) {
    super(httpStatusOf.get(status) ?? 0, message, code);
  }
}

/** The service does not answer: the same command may succeed later. */
export class Unreachable extends Failure {
  constructor(message: string) {
    super(exitStatus.fault, message);
  }
}

export const usageFailure = (message: string): Failure => new Failure(exitStatus.usage, message);

const exitStatusOf: ReadonlyMap<number, number> = new Map([
  [401, exitStatus.notSignedIn],
  [403, exitStatus.forbidden],
  [404, exitStatus.notFound],
  [409, exitStatus.conflict],
  [412, exitStatus.conflict],
]);

/** The exit status for an HTTP status that refuses. */
export const statusOfHttp = (httpStatus: number): number => exitStatusOf.get(httpStatus) ?? exitStatus.fault;

/** A problem of the service (RFC 9457). */
interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly { readonly pointer?: string; readonly code?: string; readonly detail?: string }[];
}

const readProblem = (text: string): Problem => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};

/** Makes a failure of an answer that refuses: its causes, its code and the id of the request. */
export const failureOfAnswer = (httpStatus: number, text: string): Failure => {
  const { title, detail, code, requestId, errors = [] } = readProblem(text);
  const head = detail ?? title ?? `the service answered with status ${httpStatus}`;
  const causes = errors.map((cause) => `\n  ${cause.pointer ?? ''}: ${cause.detail ?? cause.code ?? ''}`).join('');
  const marks = [code, requestId === undefined ? undefined : `request ${requestId}`].filter(
    (mark) => mark !== undefined,
  );
  const tail = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  return new Failure(statusOfHttp(httpStatus), `${head}${tail}${causes}`, code);
};

/** The exit status of an error. */
export const statusOf = (error: unknown): number => {
  if (error instanceof Failure) return error.status;
  return error instanceof Refused ? statusOfHttp(error.httpStatus) : exitStatus.fault;
};
