import { ApplyError } from '@fds/adaptor-sdk';

/** The state store does not answer. An event that needs it waits; scans try again. */
export class StateStoreFailure extends ApplyError {
  constructor(store: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the state store ${JSON.stringify(store)}: ${reason}`, { kind: 'SOURCE', retry: 'UNTIL_IT_WORKS', cause });
  }
}
