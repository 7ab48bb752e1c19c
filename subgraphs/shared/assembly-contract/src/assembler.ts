import type { Principal } from '@fds/auth';
import type { AssemblyRequest } from './assembly-request.js';
import type { AssemblyResponse } from './assembly-response.js';

/** Port to the assembly engine: in process, or over HTTP to `{dvs_url}/request`. */
export interface Assembler {
  /**
   * Assembles live records for the principal.
   *
   * @param signal gives up early; what was collected so far is dropped
   * @throws AppError INVALID_PARAMETER, VALIDATION_FAILED, NOT_FOUND, FORBIDDEN, UNAVAILABLE
   */
  assemble(request: AssemblyRequest, principal: Principal, signal?: AbortSignal): Promise<AssemblyResponse>;
}
