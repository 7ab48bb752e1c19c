import type { AdaptorConfiguration, AdaptorHandlers } from '@fds/adaptor-sdk';
import type { MonitoringState } from './state/monitoring-state.js';
import type { CopyTools } from './transfer/copy-file.js';

/** The adaptor in its current configuration: a source or a destination. */
export type Role = Pick<AdaptorHandlers, 'play' | 'pause' | 'apply' | 'assemble' | 'refreshState'> &
  Required<Pick<AdaptorHandlers, 'health'>> & {
    /** The configuration is replaced: the role's faults are over. */
    readonly close: () => void;
  };

/** Tools of a role. The handlers close them. */
export interface RoleTools {
  readonly copying: CopyTools;
  readonly monitoring: MonitoringState;
  readonly configuration: AdaptorConfiguration;
}
