/** The descriptions of the groups of endpoints, by tag. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Zones: 'The tree of organisational units that adaptors, domains and people belong to',
  'Adaptor types': 'Default capabilities and metadata of adaptors of a kind',
  Adaptors: 'Connections to systems of record: state, registration, capabilities and preferences',
  'Adaptor operations': 'Health, metrics, queue and shutdown of adaptors, requested over the message bus',
  Domains: 'Kinds of records',
  'Domain versions': 'Model schemas of domains, and their catalogued properties',
  'Data records': 'Records, their links and events; data of data-store domains',
  'Data issues': 'Data issues: events that could not be processed',
  Governance: 'Permissions to send data between zones: chains of entries',
  'Users, groups, roles': 'People of zones, and their permissions through groups and roles',
  Permissions: 'Permissions of roles, and the permissions of the caller',
  'Change log': 'Changes with their actors, and refused accesses',
  Notifications: 'What you are notified of, and where: webhooks and websockets',
  'Signing in': 'Sign-in addresses that browsers are redirected to; programs get tokens at /oauth2/token',
  Assembly: 'Live data of federated records',
  Miscellaneous: 'The caller, and the API itself',
};
