import { createEmptyDatabase } from '@fds/database/testing';
import { eventually } from '@fds/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssemblyAnswer } from '../doors/assembly/assembly-answer.js';
import { createAdaptor, createVersion, requireStatus, rootZone } from '../harness/catalogue.js';
import { getToken, signIn, type Client } from '../harness/client.js';
import { exchange } from '../harness/exchange.js';
import { createLeftovers } from '../harness/leftovers.js';
import { mosquittoMissing, startMosquitto } from '../harness/mosquitto.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';
import { startAssemblyCut, type AssemblyCut } from '../harness/split-service.js';

const domain = 'customer';
const why = mosquittoMissing === undefined ? '' : ` (skipped: ${mosquittoMissing})`;

(mosquittoMissing === undefined ? describe : describe.skip)(`two assembly processes next to the server${why}`, () => {
  const leftovers = createLeftovers();
  let service: AssemblyCut;
  let dgs: Client;
  let token: string;
  /** While set, delays the answers of the adaptor. */
  let held: Promise<void> | undefined;
  let askedCount = 0;

  beforeAll(async () => {
    const database = await createEmptyDatabase();
    leftovers.add(() => database.drop());
    const broker = await startMosquitto(leftovers);
    service = await startAssemblyCut(leftovers, { databaseUrl: database.url, broker });
    dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
    token = await getToken({ ...service, username: 'dgs', password: service.passwords.dgs });
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const capabilities = ['POST', 'GET'].map((action) => ({ domainName: domain, versionNumber: 1, action }));
    const created = await createAdaptor(dgs, await rootZone(dgs), { name: 'CRM', capabilities });
    await broker.admit(created.clientId, created.clientSecret);
    const adaptor = await startSourceAdaptor(
      leftovers,
      service,
      created,
      {
        assemble: async ({ records }) => {
          askedCount += 1;
          await held;
          return {
            records: (records ?? []).map(({ drUuid, drKey }) => ({ drUuid, drKey, data: { id: 1, name: 'Ada' } })),
          };
        },
      },
      { 'assembly.concurrency': '4' },
    );
    await adaptor.publish({ action: 'POST', domain, version: 1, json: { id: 1, name: 'Ada' } });
  }, 120_000);
  afterAll(() => leftovers.dispose(), 120_000);

  const ask = (assemblyUrl: string, bearer: string, accept = 'application/json') =>
    exchange<AssemblyAnswer>(`${assemblyUrl}/request`, {
      method: 'POST',
      token: bearer,
      headers: { accept },
      json: { domain, drKeys: [{ id: 1 }] },
    });
  const names = async (assemblyUrl: string) =>
    requireStatus(await ask(assemblyUrl, token), 200).body.assembledDataRecords.map(({ data }) => data['name']);

  it('are healthy, and each answers with the data of the adaptor', async () => {
    for (const { assemblyUrl } of service.assemblies) {
      expect(await exchange(`${assemblyUrl}/health`)).toMatchObject({ status: 200, body: { status: 'UP' } });
      await eventually(async () => expect(await names(assemblyUrl)).toEqual(['Ada']));
      const { text } = await ask(assemblyUrl, token, 'application/x-ndjson');
      expect(text.split('\n').length).toBeGreaterThan(1);
    }
  });

  it('do not serve GraphQL assembly; the engine of the records process does', async () => {
    const page = await eventually(() =>
      dgs.graphql<{ dr_customer_1: { data: { name: string }[] } }>('{ dr_customer_1 { data { name } } }'),
    );
    expect(page.dr_customer_1.data).toEqual([{ name: 'Ada' }]);
  });

  it("are at the address in the server's OpenAPI document", async () => {
    const { body } = await exchange<{ paths: Record<string, { post: { servers: unknown } }> }>(
      `${service.baseUrl}/api/openapi.json`,
    );
    expect(body.paths['/request']?.post.servers).toEqual([{ url: service.assemblies[0]?.assemblyUrl }]);
  });

  it('refuse a wrong token and a revoked token', async () => {
    const other = await getToken({ ...service, username: 'dgs', password: service.passwords.dgs });
    const credentials = Buffer.from(`dgs:${service.passwords.dgs}`).toString('base64');
    for (const { assemblyUrl } of service.assemblies) {
      expect((await ask(assemblyUrl, `${token.slice(0, -8)}AAAAAAAA`)).status).toBe(401);
      expect((await ask(assemblyUrl, other)).status).toBe(200);
    }
    const revoked = await exchange(`${service.baseUrl}/oauth2/revoke`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      text: `token=${other}`,
    });
    expect(revoked.status).toBe(200);
    for (const { assemblyUrl } of service.assemblies)
      await eventually(async () => expect((await ask(assemblyUrl, other)).status).toBe(401));
  });

  it('answer while the other one is killed', async () => {
    const [first, second] = service.assemblies;
    if (first === undefined || second === undefined) throw new Error('there are two processes');
    await first.process().end('SIGKILL');
    expect(await names(second.assemblyUrl)).toEqual(['Ada']);
    await first.replace();
    await eventually(async () => expect(await names(first.assemblyUrl)).toEqual(['Ada']));
  }, 120_000);

  it('finish their requests while the other one is killed during a request', async () => {
    const [first, second] = service.assemblies;
    if (first === undefined || second === undefined) throw new Error('there are two processes');
    let release: () => void = () => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const before = askedCount;
    const forms = ['application/json', 'application/x-ndjson'];
    // the two forms of a request cause the same request to the adaptor, so each process sends one
    const killed = Promise.allSettled(forms.map((form) => ask(first.assemblyUrl, token, form)));
    const others = Promise.all(forms.map((form) => ask(second.assemblyUrl, token, form)));
    try {
      await eventually(() => expect(askedCount).toBe(before + 2));
      await first.process().end('SIGKILL');
      for (const { status } of await killed) expect(status).toBe('rejected');
    } finally {
      release();
      held = undefined;
    }
    const [plain, lines] = await others;
    expect(plain?.body.assembledDataRecords.map(({ data }) => data['name'])).toEqual(['Ada']);
    const [line] = (lines?.text ?? '').split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ record: { data: { name: 'Ada' } } });
    await first.replace();
    // an answer to the killed process does not belong to a request of the new process
    await eventually(async () => expect(await names(first.assemblyUrl)).toEqual(['Ada']));
  }, 120_000);

  it('end with code 0 on SIGTERM', async () => {
    for (const { process } of service.assemblies) expect(await process().end('SIGTERM')).toBe(0);
  }, 120_000);
});
