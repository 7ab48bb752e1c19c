import type { VersionAccess } from '@fds/access-rules';
import type { EffectiveRequest } from '../../domain/effective-request.js';
import type { MergePlan } from '../../domain/merge-plan.js';
import type { AssembledVersion } from '../../store/version-store.js';

/** The subject of one request, and the data that its caller may see. */
export interface AssemblyScope {
  readonly request: EffectiveRequest;
  readonly version: AssembledVersion;
  /** Undefined when the caller may see everything. */
  readonly restriction: VersionAccess | undefined;
  /** The properties that are used from the answers of adaptors. */
  readonly merge: MergePlan;
}
