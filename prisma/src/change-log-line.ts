/** Type of the entries that say which others the service itself has rewritten. */
export const redactionType = 'ChangeLogRedaction';

/**
 * The SQL expression of an entry as one line of JSON: the members in the order of the API, without blanks, times in epoch
 * milliseconds, `data` with the text as it was logged, so that no digit of a number can be lost. Its digest goes into the
 * chain of hashes, so it never changes (docs/reference/change-log.md#proof).
 *
 * @param entry name of the row of `change_log`
 */
export const lineOf = (entry: string): string => `(
  '{"position":' || ${entry}.position || ',"dateCreated":' || (extract(epoch FROM ${entry}.date_created) * 1000)::bigint
  || ',"action":' || to_json(${entry}.action) || ',"resource":' || to_json(${entry}.resource)
  || ',"type":' || to_json(${entry}.resource_type)
  || ',"resourceUuid":' || coalesce('"' || ${entry}.resource_uuid || '"', 'null')
  || ',"zoneUuid":' || coalesce('"' || ${entry}.zone_uuid || '"', 'null')
  || ',"actorUuid":' || coalesce('"' || ${entry}.actor_uuid || '"', 'null')
  || ',"data":' || coalesce(translate(${entry}.data, E'\\r\\n', '  '), 'null') || '}')`;

/** The SQL expression of the digest of an entry: SHA-256 of its line in UTF-8, without a line end. */
export const digestOf = (entry: string): string => `sha256(convert_to(${lineOf(entry)}, 'UTF8'))`;
