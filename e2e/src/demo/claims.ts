/** Addresses and names in the commands of the demo. */
export interface DemoFacts {
  readonly baseUrl: string;
  readonly assemblyUrl: string;
  readonly password: string;
  readonly zoneUuid: string;
  /** The adaptor that the demo never starts. */
  readonly warehouseUuid: string;
  /** The record of Grace Hopper. */
  readonly recordUuid: string;
  /** The database file of the CRM. */
  readonly crmFile: string;
}

/** A statement of the demo, and the command that proves it. */
export interface Claim {
  readonly title: string;
  readonly command: string;
}

const asCaller = `curl -s -H "Authorization: Bearer $TOKEN"`;

/** The command that sets TOKEN for all others. */
export const tokenCommand = ({ baseUrl, password }: DemoFacts): string =>
  `TOKEN=$(curl -s -u 'dgs:${password}' -d grant_type=client_credentials ${baseUrl}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;

/** The statements of the demo, in reading order. */
export const claimsOf = (facts: DemoFacts): readonly Claim[] => {
  const { baseUrl, assemblyUrl, zoneUuid, warehouseUuid, recordUuid, crmFile } = facts;
  const api = `${baseUrl}/api`;
  const json = `-H 'content-type: application/json'`;
  const live = `${asCaller} ${json} ${baseUrl}/graphql -d '{"query":"{ dr_customer_1(sort: \\"email\\") { data { email name phone city _dr { status adaptors { name } } } } }"}'`;
  return [
    {
      title: 'The links of four customers, by REST: CRM and Billing have each of them',
      command: `${asCaller} '${api}/drs?filters=name:customer&sort=email'`,
    },
    { title: 'The live records, assembled from both systems, by GraphQL', command: live },
    {
      title: 'Change a name in the CRM; repeat 2: Billing has it as well a moment later',
      command: `node -e 'new (require("libsql"))("${crmFile}").prepare("UPDATE contact SET full_name = ? WHERE email = ?").run("Ada King", "ada@example.org")'`,
    },
    {
      title: 'A denied flow: no customer goes to the zone Partners (status DENIED, aclUuid names the entry)',
      command: `${asCaller} '${api}/drs/${recordUuid}/data-events'`,
    },
    {
      title: 'The entry that denies it, in the outbound chain of the zone Root',
      command: `${asCaller} '${api}/zones/${zoneUuid}/outbound-acls'`,
    },
    {
      title: 'A data issue: a contact of the CRM has an invalid email; the other contacts were processed',
      command: `${asCaller} '${api}/zones/${zoneUuid}/issues?filters=status:OPEN'`,
    },
    {
      title: 'An adaptor that is down: Warehouse was never started (state DOWN)',
      command: `${asCaller} '${api}/zones/${zoneUuid}/adaptors/${warehouseUuid}?fields=name,state'`,
    },
    {
      title: 'The messages that wait for Warehouse',
      command: `${asCaller} '${api}/zones/${zoneUuid}/adaptors/${warehouseUuid}/queue'`,
    },
    {
      title: 'An assembly that asks Warehouse alone answers at once, without data: each record is UNAVAILABLE',
      command: `${asCaller} ${json} ${assemblyUrl}/request -d '{"domain":"customer","zoneUuid":"${zoneUuid}","adaptors":["${warehouseUuid}"],"timeout":5}'`,
    },
  ];
};
