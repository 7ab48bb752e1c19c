import type { SourcedGrant } from '@fds/identity';
import type { Grant } from '@fds/access-rules';

/** A grant that a change would give, with its place in the body. */
export interface GivenGrant {
  readonly pointer: string;
  /** Includes its holder, if known: the rules of a role restrict the data that a permission of the role gives. */
  readonly grant: Grant & Partial<Pick<SourcedGrant, 'source'>>;
}
