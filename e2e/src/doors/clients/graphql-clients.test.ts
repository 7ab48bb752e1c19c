import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createVersion, requireStatus } from '../../harness/catalogue.js';
import { setUpDoors } from '../set-up-doors.js';
import { createPageProject, type PageProject } from './page-project.js';

const beyondNumbers = 9_007_199_254_740_993n;

interface Version {
  readonly modelSchema: { readonly properties: Readonly<Record<string, unknown>> };
  readonly drKeyProperties: readonly string[];
}

describe('the examples of docs/reference/graphql-clients.md', () => {
  const { doors, leftovers } = setUpDoors();
  let project: PageProject;

  const createOrder = async (number: number | bigint, customer: string): Promise<void> => {
    const json = { number, customer, state: 'OPEN' };
    requireStatus(await doors.dgs.rest('POST', '/drs', { name: 'order', json }), 201);
  };

  beforeAll(async () => {
    project = createPageProject(leftovers, 'docs/reference/graphql-clients.md');
    const { modelSchema, drKeyProperties } = JSON.parse(project.read('order-v1.json')) as Version;
    const { properties } = modelSchema;
    await createVersion(doors.dgs, { name: 'order', domainType: 'SERVICE_DATA_STORE', properties, drKeyProperties });
    await createOrder(1, 'Ada');
    await createOrder(2, 'Bo');
    await createOrder(beyondNumbers, 'Cy');
    await eventually(async () => {
      const { text } = await doors.dgs.call('/api/graphql-schema');
      expect(text).toContain('enum dr_order_1__state');
      project.write('schema.graphql', text);
    });
    await project.compile('codegen.ts');
    await project.run('e2e/dist/programs/generate-documents.js', project.directory);
    await project.compile('codegen.ts', 'src');
  }, 180_000);

  it('get the values of a model as a type', async () => {
    project.write(
      'src/states.ts',
      `import type { Dr_Order_1__State } from './gql/graphql.js';
       export const states: Record<Dr_Order_1__State, true> = { OPEN: true, PAID: true };`,
    );
    await project.compile('src');
    project.write(
      'src/states.ts',
      `import type { Dr_Order_1__State } from './gql/graphql.js';
       export const states: Dr_Order_1__State[] = ['CLOSED'];`,
    );
    await expect(project.compile('src/states.ts')).rejects.toThrow('CLOSED');
  }, 60_000);

  it.each(['apollo', 'urql'])(
    'read pages, records, errors and events by %s',
    async (library) => {
      const { baseUrl } = doors.service;
      const environment = { FDS_URL: `${baseUrl}/graphql`, FDS_TOKEN: doors.dgs.token ?? '' };
      const running = project.start(`src/${library}.js`, environment);
      const printed = () => running.output().trim().split('\n');
      await eventually(() => expect(printed()).toContain('subscribed'), { deadlineMs: 30_000 });
      expect(printed()).toEqual([
        expect.stringMatching(/^numbers 1,2,.*9007199254740993/),
        'cached Ada',
        ...(library === 'apollo' ? ['created 36'] : []),
        'refused INVALID_QUERY',
        'subscribed',
      ]);
      // a message is only sent for changes after the subscription has begun
      let number = library === 'apollo' ? 100 : 200;
      await eventually(
        async () => {
          if (running.running) await createOrder((number += 1), 'Di');
          expect(printed()).toContain('event POST');
        },
        { deadlineMs: 30_000 },
      );
      expect(await running.ended()).toBe(0);
    },
    120_000,
  );
});
