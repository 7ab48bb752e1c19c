import type { AclEffect } from './acl-entry.js';

/** The question to the operational chain. */
export type OperationalAction = 'POST' | 'DELETE';

/** An entry of the deployment's operational chain: may a source create or delete records. A null selector means any. */
export interface OperationalEntry {
  readonly uuid: string;
  /** From 0, unique; gaps do no harm. */
  readonly position: number;
  readonly sourceZoneUuid: string | null;
  readonly sourceAdaptorUuid: string | null;
  readonly domainVersionUuid: string | null;
  /** Null: the entry does not cover the action. */
  readonly post: AclEffect | null;
  readonly delete: AclEffect | null;
  /** An inactive entry is as good as absent. */
  readonly active: boolean;
}

/** The decision of the entry on the action; null: none. */
export const operationalEffectOf = (entry: OperationalEntry, action: OperationalAction): AclEffect | null =>
  action === 'POST' ? entry.post : entry.delete;
