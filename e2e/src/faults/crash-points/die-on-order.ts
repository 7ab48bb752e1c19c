// Loaded into a process of the product before its program (node --import). It watches what the process sends to the
// database, to the bus and to its journal, at the interface of the libraries, and kills the process at the ordered
// moment. The product has no code for this, and a process that is started without this script is not affected.
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
