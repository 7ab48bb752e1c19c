import type { HeldVersion } from './find-holders.js';

/** The new adaptor, and how its author signs in. */
export interface JoiningAdaptor {
  readonly server: string;
  readonly zoneUuid: string;
  readonly adaptorUuid: string;
  readonly changeVersion: number;
  /** The user of a sign-in by password. Undefined: the author gave a token. */
  readonly user: string | undefined;
}

const nameOf = ({ version: { domain, versionNumber } }: HeldVersion): string => `${domain.name}:${versionNumber}`;

const reasonOf = (held: HeldVersion): string =>
  held.holders.length === 0
    ? `you may not see whether other adaptors have records of ${nameOf(held)}`
    : `other adaptors have records of ${nameOf(held)}: ${held.holders.join(', ')}`;

const tokenOf = ({ server, user }: JoiningAdaptor): string =>
  user === undefined
    ? 'TOKEN=$FDS_TOKEN'
    : `TOKEN=$(curl -s -u "${user}:$FDS_PASSWORD" -d grant_type=client_credentials ${server}/oauth2/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;

/** Lines with the reason for discovery mode and with the next steps. The commands can be pasted into a shell. */
export const joiningSteps = (held: readonly HeldVersion[], adaptor: JoiningAdaptor): readonly string[] => {
  const { server, zoneUuid, adaptorUuid, changeVersion } = adaptor;
  const reconcile = (settings: object): readonly string[] =>
    held.map(({ version: { uuid } }) => {
      const body = JSON.stringify({ domainVersionUuid: uuid, ...settings });
      return `  curl -s -H "$AUTH" -H "$JSON" $ADAPTOR/reconciliations -d '${body}'`;
    });
  return [
    ...held.map(reasonOf),
    'so the adaptor starts in discovery mode: the server links its records, and sends none of them to other systems',
    'The next steps:',
    `  ${tokenOf(adaptor)}`,
    `  AUTH="Authorization: Bearer $TOKEN"; JSON='content-type: application/json'; ADAPTOR=${server}/api/zones/${zoneUuid}/adaptors/${adaptorUuid}`,
    '1. Start the adaptor, and wait until "complete" is true for each version:',
    '  curl -s -H "$AUTH" "$ADAPTOR?fields=discovery"',
    '2. See what differs, without any effect:',
    ...reconcile({ preview: true }),
    '  curl -s -H "$AUTH" $ADAPTOR/reconciliations',
    '3. Switch discovery mode off. From then on, changes are exchanged:',
    `  curl -s -X PATCH -H "$AUTH" -H "$JSON" $ADAPTOR -d '{"changeVersion":${changeVersion},"discoveryMode":false}'`,
    '4. Load the records that the adaptor lacks:',
    ...reconcile({ preview: false, missingHere: 'SEND' }),
  ];
};
