import type { Grant } from '@fds/access-rules';
import type { Permission } from './permission.js';

export interface Role {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly name: string;
  readonly description: string | null;
  /**
   * A role that every zone has. It keeps its name, its standard permissions and at least one holder, and cannot be
   * deleted.
   */
  readonly managed: boolean;
  readonly permissions: readonly Permission[];
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export interface RoleInput {
  readonly name?: string | null;
  readonly description?: string | null;
  /** Absent when the permissions stay. */
  readonly permissions?: readonly Grant[] | null;
  readonly changeVersion?: number | bigint | null;
}
