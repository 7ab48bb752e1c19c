/** Sends GET requests to the REST API, over HTTP or in the process of the service. Paths are below `/api`. */
export interface RestReader {
  /** @throws Refused */
  read<Body>(path: string): Promise<Body>;
  /**
   * All elements of a list.
   *
   * @param query further parameters, such as `filters=status:OPEN`
   * @throws Refused
   */
  list<Element>(path: string, query?: string): Promise<readonly Element[]>;
}

/** One cause of a refusal. */
export interface RefusalCause {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A refusal of the REST API, or of a name that nothing has (404). */
export class Refused extends Error {
  constructor(
    readonly httpStatus: number,
    message: string,
    readonly code: string = '',
    readonly causes: readonly RefusalCause[] = [],
  ) {
    super(message);
  }
}

export const isRefused = (error: unknown, httpStatus: number): error is Refused =>
  error instanceof Refused && error.httpStatus === httpStatus;
