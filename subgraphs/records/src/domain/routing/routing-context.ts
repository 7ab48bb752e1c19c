import type { GovernanceRules } from '@fds/governance-rules';
import type { Catalog } from '../catalog.js';
import type { RecordBook } from '../records/record-book.js';
import type { Outbox } from './outbox.js';

/** The rules, and the book and the outbox of one batch. */
export interface RoutingContext {
  readonly catalog: Catalog;
  readonly governance: GovernanceRules;
  readonly book: RecordBook;
  readonly outbox: Outbox;
}
