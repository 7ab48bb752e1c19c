// The restore of a backup, which `fds restore` loads while the service is stopped: gateway/bin/bundle.mjs
export { restoreBackup, RestoreFault } from './composition/restore/restore-backup.js';
