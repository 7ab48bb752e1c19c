import type fc from 'fast-check';

/** One hostile request or message. */
export interface FuzzCase {
  /** Enough information to send the same case again: method, path and body, or topic and payload. */
  readonly label: string;
  /** Sends it and waits for the answer. @throws Error that describes a fault, such as status 500 */
  ask(): Promise<void>;
}

/** A door of the service, and the hostile input for it. */
export interface FuzzTarget {
  readonly name: string;
  readonly cases: fc.Arbitrary<FuzzCase>;
}
