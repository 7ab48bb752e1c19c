import type { Grant } from '@fds/permissions';

/** Something that would be given, and where the body says so. */
export interface GivenGrant {
  readonly pointer: string;
  readonly grant: Grant;
}
