export { BackupFault, type BackupFaultCode } from './sealing.js';
export { type BackupHead, type BackupSequence, type BackupTotals, type Entry } from './entries.js';
export { readBackup, writeBackup, type WrittenEntry } from './backup.js';
