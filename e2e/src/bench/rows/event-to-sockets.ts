import { request } from 'undici';
import { requireStatus, rootZone } from '../../harness/catalogue.js';
import { compare, interleaved } from '../interleaved.js';
import { openCrowd, type Broadcast } from '../load/open-crowd.js';
import { subscribingCrowd } from '../load/subscribing-crowd.js';
import type { Row } from '../row.js';
import { onStage } from '../stage/open-stage.js';
import { startComparator } from '../stage/start-comparator.js';
import { residentMib } from '../../measure/resident-memory.js';

const sockets = 1_000;
const rounds = 15;

const query =
  'subscription { metadataEvents(events: [{ resource: "/zones/?/adaptors/?", actions: [ALL] }]) { cursor action resource type data } }';

export const eventToSockets: Row = {
  id: 15,
  what: 'One event to 1000 sockets',
  comparedWith: 'bare ws broadcast',
  figures: [{ name: '', unit: 'ratio', better: 'lower', goal: 1.3, stretch: 1.1 }],
  run: (signal) =>
    onStage(signal, async ({ leftovers, steward, service, authorization }) => {
      const zoneUuid = await rootZone(steward);
      const idleMib = residentMib(service.process().pid);
      const subscribed = await openCrowd(
        leftovers,
        subscribingCrowd({ baseUrl: service.baseUrl, authorization, query }, sockets),
      );
      let message = '';
      let number = 0;
      const publish = async (): Promise<void> => {
        number += 1;
        const body = { name: `Crowd ${number}`, capabilities: [] };
        const { body: adaptor } = requireStatus(await steward.rest('POST', `/zones/${zoneUuid}/adaptors`, body), 201);
        message = JSON.stringify(adaptor);
      };
      await subscribed.awaken(publish);
      const crowdMib = residentMib(service.process().pid);

      const origin = await startComparator(leftovers, 'bare-broadcast', {});
      const post = async (): Promise<void> => {
        const { body } = await request(origin, { method: 'POST', body: message });
        await body.dump();
      };
      const plain = await openCrowd(leftovers, { url: origin.replace('http', 'ws'), size: sockets });
      const measured = await interleaved({
        rounds,
        subject: () => subscribed.broadcast(publish),
        floor: () => plain.broadcast(post),
      });
      const pick = (read: (result: Broadcast) => number) =>
        compare(measured.map((round) => ({ subject: read(round.subject), floor: read(round.floor) })));
      const [fanOut, total] = [pick(({ fanOutMs }) => fanOutMs), pick(({ totalMs }) => totalMs)];
      return {
        values: { '': fanOut.ratio },
        notes: [
          `first to last message: ${fanOut.subject.median.toFixed(1)} ms against ${fanOut.floor.median.toFixed(1)}; ` +
            `from the request, with the commit of an adaptor: ${total.subject.median.toFixed(1)} ms against ${total.floor.median.toFixed(1)}; ` +
            `${sockets} sockets of one caller, ${rounds} rounds`,
          `${sockets} idle sockets with a subscription: ${Math.round(crowdMib - idleMib)} MiB more than before`,
        ],
      };
    }),
};
