// An adaptor whose system is the ledger of the run. The ledger stores effect and place in one entry, so that an event
// counts once.
import { startAdaptor } from '@fds/adaptor-sdk';
import { connectLedger } from './ledger/connect-ledger.js';
import { requireSetting } from './require-setting.js';

const ledger = connectLedger(Number(requireSetting('COUNTING_LEDGER')));
const destination = requireSetting('COUNTING_DESTINATION');

const adaptor = await startAdaptor({
  handlers: {
    apply: async ({ json, position }) => {
      await ledger.ask('apply', { destination, ...position, json });
    },
    applied: {
      has: (position) => ledger.ask('has', { destination, ...position }),
      forget: () => undefined,
    },
  },
});
process.once('SIGTERM', () => void adaptor.stop());
await adaptor.stopped;
ledger.close();
