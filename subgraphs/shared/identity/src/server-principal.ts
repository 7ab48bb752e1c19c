import type { Principal } from '@fds/auth';

/** The server itself, for internal work that no caller asked for. */
export const serverPrincipal: Principal = {
  kind: 'SERVER',
  uuid: '00000000-0000-0000-0000-000000000000',
  username: 'server',
  zones: [],
  defaultZoneUuid: undefined,
  permits: () => true,
};
