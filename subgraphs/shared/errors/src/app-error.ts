import { errorCatalogue, type ErrorCode, type ErrorDefinition } from './error-catalogue.js';

/** One cause among several of a refused request. */
export interface ErrorCause {
  /** JSON pointer into the body (`/modelSchema/properties/a`), or the name of the parameter. */
  readonly pointer: string;
  /** Upper snake case word. */
  readonly code: string;
  /** Safe public sentence that names the cause. */
  readonly detail: string;
}

/** Members of an error in addition to its code. Everything here is public. */
export interface AppErrorOptions {
  /** All causes, where there are several. */
  readonly errors?: readonly ErrorCause[];
  /** Further top-level members of the answer, such as `position` or `currentChangeVersion`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The underlying error; logged, never sent. */
  readonly cause?: unknown;
}

/** A refusal or failure with a catalogued code. Its message is public. */
export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'AppError';
  readonly code: Code;
  readonly errors: readonly ErrorCause[];
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, detail: string, options: AppErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.details = options.details ?? {};
  }

  /** The public members of the error; graphql-js copies them into the `extensions` of a GraphQL error. */
  get extensions(): Readonly<Record<string, unknown>> {
    return { ...this.details, code: this.code, ...(this.errors.length > 0 ? { errors: this.errors } : {}) };
  }

  /** Status, title and advice of the code. */
  get definition(): ErrorDefinition {
    return errorCatalogue[this.code];
  }
}
