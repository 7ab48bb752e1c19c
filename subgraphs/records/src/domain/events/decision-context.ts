import type { OperationalRules } from '@fds/governance-rules';
import type { ReferenceBook } from '../references/reference-book.js';
import type { DeletionBrake } from '../issues/deletion-brake.js';
import type { RoutingContext } from '../routing/routing-context.js';

/** Data for decisions besides the event: the catalog, the chains, the records of the batch, and fresh ids. */
export interface DecisionContext extends RoutingContext {
  readonly operational: OperationalRules;
  readonly references: ReferenceBook;
  newUuid(): string;
  /** The limits of deletions. Undefined: the deletion may pass, for example because a person has decided so. */
  readonly brake?: Pick<DeletionBrake, 'take'> | undefined;
  /** Does an open issue park events of the key from the adaptor? */
  isBlocked(adaptorUuid: string, domainVersionUuid: string, keyDigest: string): boolean;
}
