// An adaptor that keeps a ledger of applied events. Effect and position are in one row, so that an event counts once.
import { startAdaptor } from '@fds/adaptor-sdk';
import Database from 'libsql';
import { requireSetting } from './require-setting.js';

const database = new Database(requireSetting('STREAM_DATABASE'));
database.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS ledger (position INTEGER PRIMARY KEY AUTOINCREMENT, epoch TEXT NOT NULL, sequence INTEGER NOT NULL,
    action TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, UNIQUE (epoch, sequence))`);
const insert = database.prepare('INSERT INTO ledger (epoch, sequence, action, id, n) VALUES (?, ?, ?, ?, ?)');
const find = database.prepare('SELECT 1 FROM ledger WHERE epoch = ? AND sequence = ?');

const adaptor = await startAdaptor({
  handlers: {
    apply: ({ action, json, position }) => {
      insert.run(position.epoch, position.sequence, action, json['id'], json['n']);
    },
    applied: {
      has: ({ epoch, sequence }) => find.get(epoch, sequence) !== undefined,
      forget: () => undefined,
    },
  },
});
const stop = (): void => void adaptor.stop();
process.once('SIGTERM', stop);
await adaptor.stopped;
database.close();
