import { createLeftovers } from '../../harness/leftovers.js';
import { compare, interleaved, perSecond } from '../interleaved.js';
import type { Row } from '../row.js';
import { openCommittingServers } from '../stage/open-committing-servers.js';

const size = { servers: 4, clients: 8, commits: 100 };
const rounds = 7;

export const commitsOfServers: Row = {
  id: 25,
  what: `Commits per second of ${size.servers} servers that notify`,
  comparedWith: 'the same commits without notifications',
  figures: [{ name: '', unit: 'ratio', better: 'higher', goal: 0.9, stretch: 0.97 }],
  run: async (signal) => {
    const leftovers = createLeftovers();
    try {
      const opened = await openCommittingServers(leftovers, size, signal);
      const nowMs = (): number => performance.now();
      const measured = await interleaved({
        rounds,
        subject: perSecond(() => opened.commit('WITH_NEWS'), nowMs),
        floor: perSecond(() => opened.commit('ALONE'), nowMs),
      });
      if (opened.heard === 0) throw new Error('no server was notified');
      const { subject, floor, ratio } = compare(measured);
      return {
        values: { '': ratio },
        notes: [
          `${subject.median.toFixed(0)} commits a second against ${floor.median.toFixed(0)}; ` +
            `${size.servers * size.clients} clients, ${rounds} rounds`,
        ],
      };
    } finally {
      await leftovers.dispose();
    }
  },
};
