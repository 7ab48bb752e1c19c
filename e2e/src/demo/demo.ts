// npm run demo: a service, two small customer systems and their adaptors, and what to look at. Runs until Ctrl-C.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, rootZone } from '../harness/catalogue.js';
import { signIn } from '../harness/client.js';
import { startDatabaseAdaptor } from '../harness/adaptor-process.js';
import { createLeftovers } from '../harness/leftovers.js';
import { startService } from '../harness/service.js';
import { adaptorMetadata, billing, createCustomerSystem, crm } from './customer-systems.js';

const leftovers = createLeftovers();
const ended = new Promise<void>((resolve) => {
  process.once('SIGINT', () => resolve());
  process.once('SIGTERM', () => resolve());
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const run = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'fds-demo-'));
  leftovers.add(() => rmSync(folder, { recursive: true, force: true }));
  say('Starting the service with an embedded database and broker ...');
  const service = await startService(leftovers);
  const dgs = await signIn({ ...service, username: 'dgs', password: service.passwords.dgs });
  const zone = await rootZone(dgs);
  const text = { type: 'string' };
  await createVersion(dgs, {
    name: 'customer',
    domainType: 'FEDERATED',
    properties: { email: { type: 'string', format: 'email' }, name: text, phone: text, city: text },
    drKeyProperties: ['email'],
  });
  // both are known before either runs: what one reports first waits for the other
  const systems = [];
  for (const system of [crm, billing]) {
    const file = join(folder, `${system.name.toLowerCase()}.sqlite`);
    createCustomerSystem(file, system);
    const adaptor = await createAdaptor(dgs, zone, {
      name: system.name,
      capabilities: allActions('customer'),
      metadata: adaptorMetadata(file, system),
    });
    systems.push({ name: system.name, file, adaptor });
  }
  for (const { name, file, adaptor } of systems) {
    say(`Starting the adaptor of ${name} (${file}) ...`);
    await startDatabaseAdaptor(leftovers, service, adaptor);
  }
  await eventually(async () => {
    const { body } = await dgs.rest<{ _page: { totalElements: number } }>('GET', '/drs?filters=name:customer');
    if (body._page.totalElements < 8) throw new Error(`${body._page.totalElements} of 8 linkages`);
  });

  const crmFile = join(folder, 'crm.sqlite');
  say(`
Four customers, each now known to both systems: Ada came from the CRM, Barbara from Billing.

A token (every command below needs it):
  TOKEN=$(curl -s -u dgs:${service.passwords.dgs} -d grant_type=client_credentials ${service.baseUrl}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

1. Who is linked where, by REST:
  curl -s -H "Authorization: Bearer $TOKEN" '${service.baseUrl}/api/drs?filters=name:customer&sort=email'

2. The live records, assembled from both systems, by GraphQL:
  curl -s -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' ${service.baseUrl}/graphql \\
    -d '{"query":"{ dr_customer_1(sort: \\"email\\") { data { email name phone city _dr { status adaptors { name } } } } }"}'

3. Change a name in the CRM, then repeat 2 (Billing has it as well a moment later):
  node -e 'new (require("libsql"))("${crmFile}").prepare("UPDATE contact SET full_name = ? WHERE email = ?").run("Ada King", "ada@example.org")'

GraphiQL: ${service.baseUrl}/graphql   REST: ${service.baseUrl}/docs   Ctrl-C ends everything.
`);
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
