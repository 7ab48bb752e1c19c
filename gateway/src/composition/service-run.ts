import type { Drain, Lifetime, Log } from '@fds/service';

/** Resources of the process that the service uses. */
export interface ServiceRun {
  readonly lifetime: Lifetime;
  readonly drain: Drain;
  readonly log: Log;
}
