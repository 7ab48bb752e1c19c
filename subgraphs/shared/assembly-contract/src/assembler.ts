import type { Principal } from '@fds/auth';
import type { AssemblyLine } from './assembly-line.js';
import type { AssemblyRequest } from './assembly-request.js';
import type { AssemblyResponse } from './assembly-response.js';

/** Port to the assembly engine: in process, or over HTTP to `{dvs_url}/request`. */
export interface Assembler {
  /**
   * Assembles live records for the principal.
   *
   * @param signal gives up early; records that were collected so far are dropped
   * @throws AppError INVALID_PARAMETER, VALIDATION_FAILED, NOT_FOUND, FORBIDDEN, UNAVAILABLE
   */
  assemble(request: AssemblyRequest, principal: Principal, signal?: AbortSignal): Promise<AssemblyResponse>;

  /**
   * Assembles live records and gives each as soon as its own release condition is met, then the changes that later
   * answers bring, then the end. `size` may be up to 100 000. Nothing further is asked while the caller does not pull.
   * Returning early (`break`) ends everything that is under way.
   *
   * @param signal gives up early; the next pull throws its reason
   * @throws at the first pull what `assemble` throws; at a later one, when the rest cannot be assembled
   */
  assembleProgressively(
    request: AssemblyRequest,
    principal: Principal,
    signal?: AbortSignal,
  ): AsyncIterable<AssemblyLine>;
}
