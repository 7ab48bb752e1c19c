import type { Queryable } from '@fds/database';

/** The other one of two events that crossed. */
export interface CrossedEvent {
  readonly eventUuid: string;
  /** Null: a change through the API. */
  readonly sourceAdaptorUuid: string | null;
  /** Empty: all of it, one of the two is a deletion. */
  readonly properties: readonly string[];
}

/** The events that one overrode, and those that overrode it. */
export interface EventCrossings {
  readonly overrides: readonly CrossedEvent[];
  readonly overriddenBy: readonly CrossedEvent[];
}

/**
 * The events of a record that overrode others or were overridden, in one statement; events that were removed from the
 * history are left out.
 */
export const loadCrossings = async (
  client: Queryable,
  recordUuid: string,
  eventUuids: readonly string[],
): Promise<ReadonlyMap<string, EventCrossings>> => {
  const { rows } = await client.query<{
    readonly winner: string;
    readonly winner_source: string | null;
    readonly loser: string;
    readonly loser_source: string | null;
    readonly properties: string[];
  }>({
    name: 'records-load-crossings',
    text: `SELECT e.uuid AS winner, e.source_adaptor_uuid AS winner_source,
                  o.uuid AS loser, o.source_adaptor_uuid AS loser_source,
                  ARRAY(SELECT jsonb_array_elements_text(x.properties)) AS properties
           FROM data_event e
           CROSS JOIN LATERAL jsonb_to_recordset(e.overrides) AS x("eventUuid" uuid, properties jsonb)
           JOIN data_event o ON o.uuid = x."eventUuid"
           WHERE e.record_uuid = $1 AND e.overrides IS NOT NULL AND (e.uuid = ANY ($2::uuid[]) OR o.uuid = ANY ($2::uuid[]))
           ORDER BY e.uuid, o.uuid`,
    values: [recordUuid, eventUuids],
  });
  const crossings = new Map<string, { overrides: CrossedEvent[]; overriddenBy: CrossedEvent[] }>();
  const of = (eventUuid: string) => {
    const known = crossings.get(eventUuid) ?? { overrides: [], overriddenBy: [] };
    crossings.set(eventUuid, known);
    return known;
  };
  for (const { winner, winner_source, loser, loser_source, properties } of rows) {
    of(winner).overrides.push({ eventUuid: loser, sourceAdaptorUuid: loser_source, properties });
    of(loser).overriddenBy.push({ eventUuid: winner, sourceAdaptorUuid: winner_source, properties });
  }
  return crossings;
};
