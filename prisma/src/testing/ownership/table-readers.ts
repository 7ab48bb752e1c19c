/** The folder of a package, and its source files with the tables of other owners that each may read. */
type Readers = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * The one list of reads across owners: every source file that reads tables of another owner, and those tables. A file that
 * reads less than its entry, or more, fails `table-ownership.test.ts`.
 */
export const tableReaders: Readers = {
  'subgraphs/assembly/src': {
    'store/catalog-changes.ts': ['change_log'],
    'store/record-store.ts': ['adaptor', 'data_record', 'record_link'],
    'store/source-store.ts': ['adaptor', 'adaptor_capability', 'adaptor_preference', 'adaptor_type_capability', 'zone'],
    'store/version-store.ts': ['domain', 'domain_version'],
    'store/write-seen-records.ts': ['adaptor', 'record_link'],
  },
  'subgraphs/catalog/src': {
    'operations/create-hosted-answers.ts': ['adaptor_channel', 'relay_lease'],
    'store/adaptors/adaptor-states.ts': ['adaptor_channel'],
    'store/adaptors/load-verifications.ts': ['reconciliation'],
    'store/operations/adaptor-counts.ts': ['adaptor_channel'],
    'store/operations/load-queue.ts': ['adaptor_channel', 'delivery'],
    'store/versions/version-rows.ts': ['data_record'],
    'actions/versions/find-value-records.ts': ['data_record'],
    'store/versions/resolve-value-references.ts': ['data_record', 'record_link'],
    'store/secrets/metadata-secrets.ts': ['role'],
    'store/zones/zone-rows.ts': ['person', 'role'],
  },
  'subgraphs/governance/src': {
    'actions/acls/acl-references.ts': ['adaptor', 'domain_version', 'zone'],
    'store/acls/find-seen-records.ts': ['adaptor', 'data_record', 'domain_version'],
    'actions/acls/strict-properties.ts': ['domain_version_property'],
    'actions/data-access/unknown-selectors.ts': ['adaptor', 'domain', 'domain_version', 'zone'],
    'actions/identity/readable-zones.ts': ['zone'],
    'actions/require-zone.ts': ['zone'],
  },
  'subgraphs/notifications/src': {
    'store/deliveries/decide-messages.ts': ['adaptor', 'change_log', 'domain', 'domain_version'],
    'store/deliveries/load-batch.ts': ['change_log'],
    'store/deliveries/message-log.ts': ['change_log'],
    'store/queue/lease.ts': ['change_log'],
    'store/open-subjects.ts': ['adaptor', 'domain', 'domain_version'],
    'subscriptions/sources/data-source.ts': ['domain', 'domain_version'],
    'subscriptions/states/load-reconciliations.ts': ['reconciliation'],
    'subscriptions/states/open-adaptor-reader.ts': ['adaptor', 'adaptor_channel'],
  },
  'subgraphs/records/src': {
    'catalog-view/store/find-adaptor-zone.ts': ['adaptor'],
    'catalog-view/store/find-default-version.ts': ['domain'],
    'catalog-view/store/load-catalog-changes.ts': ['change_log'],
    'catalog-view/store/load-catalog.ts': [
      'adaptor',
      'adaptor_capability',
      'adaptor_type',
      'adaptor_type_capability',
      'domain',
      'domain_version',
    ],
    'catalog-view/store/lock-versions.ts': ['domain', 'domain_version'],
    'exchange/store/lease.ts': ['adaptor'],
    'reading/listing/store/version-state.ts': ['change_log'],
    'reconciliation/store/job-pages.ts': ['adaptor_preference'],
    'reconciliation/store/reconciliation.ts': ['adaptor'],
    'reconciliation/store/scheduled-previews.ts': ['zone'],
    'store/channels/adaptor-remains.ts': ['adaptor', 'domain', 'domain_version'],
    'store/channels/channel.ts': ['adaptor'],
    'store/issues/issue-place.ts': ['adaptor', 'domain_version', 'zone'],
    'store/issues/listed-issue.ts': ['adaptor', 'domain', 'domain_version'],
    'store/issues/write-seen-issues.ts': ['domain_version'],
    'store/matching/build-match-index.ts': ['domain_version'],
    'store/records/read-records.ts': ['adaptor'],
  },
  'subgraphs/shared/access-rules/src': { 'data/write-visible-rows.ts': ['adaptor'] },
  'subgraphs/shared/identity/src': {
    'authentication/load-credentials.ts': ['adaptor', 'adaptor_registration'],
    'holdings/data-rules.ts': ['adaptor', 'domain'],
    'holdings/holder-exists.ts': ['adaptor'],
    'holdings/load-holder.ts': ['adaptor'],
    'holdings/load-memberships.ts': ['zone'],
    'zones/move-domain.ts': ['data_record', 'domain_version'],
  },
  'gateway/src': { 'authorization-server/answer-self-contained-tokens.ts': ['adaptor'] },
  'rest-facade/src': { 'idempotency/open-idempotency-store.ts': ['change_log'] },
};
