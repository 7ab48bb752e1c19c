import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { learnExchange } from '../../bench/load/learn-exchange.js';
import { openLoad, type Load, type LoadTarget } from '../../bench/load/open-load.js';
import { spreadOf } from '../../measure/spread.js';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { askGraphql } from '../ask-graphql.js';
import { setUpDoors } from '../set-up-doors.js';
import { openQuerySocket } from './query-socket.js';

const rounds = 10;
const writesPerRound = 20;
const modelSchema = { properties: { id: { type: 'string' }, name: { type: 'string' }, since: { type: 'string' } } };

describe('publishing versions under load', () => {
  const { doors, leftovers } = setUpDoors();
  let load: Load;
  let target: LoadTarget;

  beforeAll(async () => {
    load = openLoad(leftovers);
    const { service, dgs } = doors;
    const { domainName: name } = await createVersion(dgs, {
      name: 'steady',
      domainType: 'SERVICE_DATA_STORE',
      properties: modelSchema.properties,
      drKeyProperties: ['id'],
    });
    requireStatus(await dgs.rest('POST', '/drs', { name, json: { id: 'a', name: 'Ada' } }), 201);
    const queries = [
      '{ zones(zoneName: "Root") { data { uuid name } } }',
      '{ dr_steady_1 { data { id name _dr { drKey } } } }',
    ];
    await eventually(() => askGraphql(dgs, queries[1] ?? ''));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${dgs.token}` };
    const exchanges = await Promise.all(
      queries.map((query) =>
        learnExchange(
          service.baseUrl,
          { method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query }) },
          (body) => expect(body).not.toHaveProperty('errors'),
        ),
      ),
    );
    target = { origin: service.baseUrl, connections: 2, exchanges };
  }, 120_000);

  /** Longest wait of the queries during these writes. @throws Error when a query got a wrong answer */
  const longestWaitDuring = async (write: (index: number) => Promise<unknown>): Promise<number> => {
    load.start(target);
    for (let index = 0; index < writesPerRound; index += 1) await write(index);
    return (await load.stop()).longestMs;
  };

  it('neither fails a query, nor ends a socket, nor stalls a request for 50 ms', async () => {
    const { service, dgs } = doors;
    const socket = await openQuerySocket(leftovers, {
      baseUrl: service.baseUrl,
      token: dgs.token ?? '',
      query: '{ dr_steady_1 { data { name } page { totalElements } } }',
    });
    const others: number[] = [];
    const publishing: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // the cost of a write that publishes nothing, on this machine at this moment
      others.push(
        await longestWaitDuring((index) =>
          dgs.rest('POST', '/domains', { name: `empty-${round}-${index}`, domainType: 'FEDERATED' }),
        ),
      );
      const domain = requireStatus(
        await dgs.rest('POST', '/domains', { name: `published-${round}`, domainType: 'SERVICE_DATA_STORE' }),
        201,
      ).body;
      publishing.push(
        await longestWaitDuring(async () => {
          const version = { modelSchema, drKeyProperties: ['id'] };
          requireStatus(await dgs.rest('POST', `/domains/${domain.uuid}/versions`, version), 201);
        }),
      );
      const before = socket.answers;
      await eventually(() => askGraphql(dgs, `{ dr_published_${round}_${writesPerRound} { data { id } } }`));
      await eventually(() => expect(socket.answers).toBeGreaterThan(before));
    }
    expect(socket.faults).toEqual([]);
    expect(spreadOf(publishing).median - spreadOf(others).median).toBeLessThan(50);
  }, 400_000);
});
