// Loaded into a process of the product before its program (node --import): watches what the process says to the database,
// to the bus and to its journal, at the edge of the libraries that carry it, and kills it at the moment it was ordered to
// die. The product knows nothing of it, and a process that is started without it is not touched.
import { requireSetting } from '../../programs/require-setting.js';
import { crashOrderVariable, type CrashOrder } from './crash-order.js';
import { watchBus } from './watch-bus.js';
import { watchDatabase } from './watch-database.js';
import { watchJournal } from './watch-journal.js';

const { moment, time } = JSON.parse(requireSetting(crashOrderVariable)) as CrashOrder;

let passed = 0;
const pass = (): void => {
  passed += 1;
  if (passed === time) process.kill(process.pid, 'SIGKILL');
};

if (moment.at === 'TRANSACTION' || moment.at === 'STATEMENT') watchDatabase(moment, pass);
if (moment.at === 'PUBLICATION') watchBus(moment, pass);
if (moment.at === 'JOURNAL') watchJournal(moment, pass);
