import type { OpsAnswer, OpsRequest } from '@fds/adaptor-protocol';
import type { ServerClock } from '../assembly/server-clock.js';
import type { KeyedTaskPool } from '../channel/create-keyed-task-pool.js';
import { unconfigured } from '../operations/configuration-in.js';
import { taskKeyOf, type Operable, runOperation } from '../operations/run-operation.js';
import type { Operation } from '../operations/take-notice.js';
import type { RunningState } from '../health/running-state.js';

export interface OperationTaking {
  readonly state: Pick<RunningState, 'configuration' | 'stopping'>;
  readonly operable: Operable;
  readonly operations: Pick<KeyedTaskPool, 'add'>;
  /** Hears the time of every operation. */
  readonly clock: Pick<ServerClock, 'hear'>;
  readonly answer: (answer: OpsAnswer) => void;
  /** A START arrived. @param discovered the discoveries that the server has noted; undefined: it does not say */
  readonly onStart: (discovered: OpsRequest['discovered']) => void;
  /** A SHUTDOWN was answered. */
  readonly onShutdown: () => void;
}

/** Takes the operations of the server, until the adaptor stops. */
export const createOperationTaker =
  ({ state, operable, operations, clock, answer, onStart, onShutdown }: OperationTaking) =>
  ({ time, data: request }: Operation): void => {
    clock.hear(time);
    if (state.stopping !== undefined) return;
    if (request.operation === 'START') onStart(request.discovered);
    operations.add(taskKeyOf(request), async () => {
      answer(await runOperation(request, operable, state.configuration ?? unconfigured));
      if (request.operation === 'SHUTDOWN') onShutdown();
    });
  };
