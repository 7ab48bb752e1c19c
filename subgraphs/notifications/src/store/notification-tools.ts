import type { Principal, Sealer } from '@fds/auth';
import type { Database, PrismaTransaction } from '@fds/database';
import type { TargetRule } from '@fds/webhook-client';

/** Limits of this subgraph's tables that callers can fill. */
interface RegistrationBounds {
  readonly registrationsPerUser: number;
  /** Bytes of the JSON of one registration. */
  readonly registrationBytes: number;
  /** Bytes of the registrations of all users. Every delivering process keeps their events in memory. */
  readonly totalBytes: number;
}

/** Dependencies that all actions of this subgraph have in common. */
export interface NotificationTools {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => Date;
  /** UUID version 7. */
  readonly newUuid: () => string;
  /** The addresses to which the service may connect. */
  readonly targets: TargetRule;
  readonly bounds: RegistrationBounds;
  /** Time in which messages are also signed with a replaced secret. */
  readonly secretOverlapMs: number;
  /** Whether the person or adaptor still exists in the transaction's view. */
  readonly holderExists: (tx: PrismaTransaction, holder: Principal) => Promise<boolean>;
  readonly onBoundHit: (
    bound: 'notification_registrations' | 'notification_bytes' | 'notification_total_bytes' | 'notification_queue',
  ) => void;
}
