/** The owner of tables. Only its code writes them. */
interface Owner {
  /**
   * Folders of its code, relative to the repository. Its functions for other packages are in
   * `subgraphs/shared/owned-tables`.
   */
  readonly folders: readonly string[];
  readonly tables: readonly string[];
  /** Tables that other code may not read either. */
  readonly unread?: readonly string[];
}

/** The list of all tables and owners. If several folders contain a path, the longest one determines the owner. */
export const tableOwners: Readonly<Record<string, Owner>> = {
  catalog: {
    folders: ['subgraphs/catalog', 'subgraphs/shared/owned-tables/src/catalog'],
    tables: [
      'zone',
      'adaptor_type',
      'adaptor_type_capability',
      'adaptor',
      'adaptor_capability',
      'adaptor_registration',
      'adaptor_secrets',
      'adaptor_type_secrets',
      'adaptor_message',
      'adaptor_counts',
      'adaptor_minute',
      'adaptor_shutdown_code',
      'adaptor_discovery',
      'adaptor_preference',
      'domain',
      'domain_version',
      'domain_version_property',
    ],
  },
  governance: {
    folders: ['subgraphs/governance', 'subgraphs/shared/identity', 'subgraphs/shared/owned-tables/src/governance'],
    tables: [
      'person',
      'zone_user',
      'role',
      'data_access_rule',
      'role_member',
      'user_group',
      'user_group_member',
      'user_group_role',
      'permission',
      'zone_acl',
      'zone_acl_record',
      'operational_acl',
      'acl_metric',
      'server_process',
      'configuration_plan',
    ],
    unread: ['zone_acl', 'zone_acl_record', 'operational_acl', 'acl_metric'],
  },
  records: {
    folders: [
      'subgraphs/records',
      'subgraphs/shared/owned-tables/src/records',
      // the statements on records that several subgraphs run
      'subgraphs/shared/search/src/rows',
      'subgraphs/shared/references',
    ],
    tables: [
      'data_record',
      'record_link',
      'record_count',
      'record_reference',
      'adaptor_channel',
      'hub_gap',
      'webhook_failure',
      'data_echo',
      'data_event',
      'removed_link',
      'delivery',
      'delivery_progress',
      'data_issue',
      'deletion_window',
      'mass_deletion',
      'issue_match',
      'refusal_notice',
      'awaited_key',
      'relay_lease',
      'record_upload',
      'record_upload_part',
      'match_token',
      'match_index',
      'retention_progress',
      'reconciliation',
      'redelivery',
      'reconciliation_difference',
    ],
  },
  notifications: {
    folders: ['subgraphs/notifications'],
    tables: [
      'notification_registration',
      'notification_receiver',
      'notification_message',
      'notification_attempt',
      'notification_cursor',
      'notification_socket',
    ],
  },
  'change log': { folders: ['prisma'], tables: ['change_log', 'change_log_page', 'change_log_removal'] },
  'sign-in': {
    folders: ['gateway', 'subgraphs/shared/identity/src/directory/revoked-tokens.ts'],
    tables: ['oidc_artifact', 'signing_key'],
  },
  'rest-facade': { folders: ['rest-facade'], tables: ['idempotent_request'] },
};

/** The owner of this file's code; undefined: the code owns no table. */
export const ownerOfFile = (path: string): string | undefined => {
  const fits = Object.entries(tableOwners).flatMap(([owner, { folders }]) =>
    folders.filter((folder) => path === folder || path.startsWith(`${folder}/`)).map((folder) => ({ owner, folder })),
  );
  return fits.toSorted((a, b) => b.folder.length - a.folder.length)[0]?.owner;
};
