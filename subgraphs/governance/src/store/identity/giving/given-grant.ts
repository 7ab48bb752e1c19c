import type { HeldGrant } from '@fds/identity';
import type { Grant } from '@fds/permissions';

/** Something that would be given, and where the body says so. */
export interface GivenGrant {
  readonly pointer: string;
  /** With its holder, if it is known: the rules of a role limit the data that a permission of the role gives. */
  readonly grant: Grant & Partial<Pick<HeldGrant, 'source'>>;
}
