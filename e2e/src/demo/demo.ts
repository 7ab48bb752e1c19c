// npm run demo: starts a service, two small customer systems and their adaptors, a denied flow, a fault and an adaptor
// that is down, and prints commands that show them. Runs until Ctrl-C.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, requireStatus, rootZone } from '../harness/catalogue.js';
import { signIn, type Client } from '../harness/client.js';
import { startDatabaseAdaptor } from '../harness/adaptor-process.js';
import { createLeftovers } from '../harness/leftovers.js';
import { startService } from '../harness/service.js';
import { claimsOf, tokenCommand } from './claims.js';
import { adaptorMetadata, billing, createCustomerSystem, crm } from './customer-systems.js';

interface Listing {
  readonly drs: readonly { readonly uuid: string; readonly drKey: { readonly email: string } }[];
  readonly _page: { readonly totalElements: number };
}

const leftovers = createLeftovers();
const ended = new Promise<void>((resolve) => {
  process.once('SIGINT', () => resolve());
  process.once('SIGTERM', () => resolve());
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Creates the domain, the zone Partners, and the entry that denies events to it. */
const prepareCatalogue = async (admin: Client, dgs: Client, zoneUuid: string): Promise<string> => {
  const text = { type: 'string' };
  const { domainVersionUuid } = await createVersion(dgs, {
    name: 'customer',
    domainType: 'FEDERATED',
    properties: { email: { type: 'string', format: 'email' }, name: text, phone: text, city: text },
    drKeyProperties: ['email'],
  });
  const partners = requireStatus(
    await admin.rest<{ uuid: string }>('POST', `/zones/${zoneUuid}/child-zones`, { name: 'Partners' }),
    201,
  ).body.uuid;
  const entry = {
    name: 'Customers stay here',
    destinationZoneUuid: partners,
    domainVersionUuid,
    post: 'DENY',
    put: 'DENY',
  };
  requireStatus(await dgs.rest('POST', `/zones/${zoneUuid}/outbound-acls`, entry), 201);
  return partners;
};

const run = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-demo-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  say('Starting the service with an embedded database and broker ...');
  const service = await startService(leftovers);
  const admin = await signIn({ ...service, username: 'admin', password: service.passwords.admin });
  const dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  const zoneUuid = await rootZone(dgs);
  const partners = await prepareCatalogue(admin, dgs, zoneUuid);
  const capabilities = allActions('customer');
  // neither is ever started: governance denies everything to Partner, and messages wait for Warehouse
  await createAdaptor(dgs, partners, { name: 'Partner', capabilities });
  const warehouse = await createAdaptor(dgs, zoneUuid, { name: 'Warehouse', capabilities });
  // both adaptors are registered before either runs, so that the first reports of one wait for the other
  const systems = [];
  for (const system of [crm, billing]) {
    const file = join(folder, `${system.name.toLowerCase()}.sqlite`);
    createCustomerSystem(file, system);
    const metadata = adaptorMetadata(file, system);
    systems.push({
      name: system.name,
      file,
      adaptor: await createAdaptor(dgs, zoneUuid, { name: system.name, capabilities, metadata }),
    });
  }
  for (const { name, file, adaptor } of systems) {
    say(`Starting the adaptor of ${name} (${file}) ...`);
    await startDatabaseAdaptor(leftovers, service, adaptor);
  }
  const records = await eventually(async () => {
    const { body } = await dgs.rest<Listing>('GET', '/drs?filters=name:customer&size=50');
    if (body._page.totalElements < 8) throw new Error(`${body._page.totalElements} of 8 linkages`);
    return body.drs;
  });
  const grace = records.find(({ drKey }) => drKey.email === 'grace@example.org');
  if (grace === undefined) throw new Error('Grace is not linked');

  const facts = {
    ...service,
    password: service.passwords.dgs,
    zoneUuid,
    warehouseUuid: warehouse.uuid,
    recordUuid: grace.uuid,
    crmFile: join(folder, 'crm.sqlite'),
  };
  say(`
Four customers, each now known to both systems: Ada came from the CRM, Barbara from Billing.

A token (every command below needs it; run them in this folder):
  ${tokenCommand(facts)}
`);
  for (const [index, { title, command }] of claimsOf(facts).entries()) say(`${index + 1}. ${title}:\n  ${command}\n`);
  say(
    `GraphiQL: ${service.baseUrl}/graphql   REST: ${service.baseUrl}/docs (sign in as dgs, ${service.passwords.dgs})   Ctrl-C ends everything.`,
  );
  await ended;
};

const interrupted = ended.then(() => 'interrupted' as const);
try {
  await Promise.race([run(), interrupted]);
} catch (error) {
  process.exitCode = 1;
  console.error(error);
} finally {
  await leftovers.dispose();
}
process.exit();
