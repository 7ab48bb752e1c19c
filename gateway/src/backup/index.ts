export { backupDescription, createBackupEndpoint } from './backup-endpoint.js';
