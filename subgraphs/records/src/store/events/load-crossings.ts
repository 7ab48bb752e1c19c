import type { Queryable } from '@fds/database';

/** The other one of two events that crossed. */
export interface CrossedEvent {
  readonly eventUuid: string;
  /** Another one than that of the event if a change created a deleted record again. */
  readonly recordUuid: string;
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
 * history are left out. A change that overrides a deletion also overrides those that other sources reported between the two. A
 * deletion may be overridden by an event of another record: the change created the record again.
 */
export const loadCrossings = async (
  client: Queryable,
  recordUuid: string,
  eventUuids: readonly string[],
): Promise<ReadonlyMap<string, EventCrossings>> => {
  const { rows } = await client.query<{
    readonly winner: string;
    readonly winner_source: string | null;
    readonly winner_record: string;
    readonly loser: string;
    readonly loser_source: string | null;
    readonly loser_record: string;
    readonly properties: string[];
  }>({
    name: 'records-load-crossings',
    text: `WITH winners AS (
             SELECT uuid FROM data_event WHERE record_uuid = $1 AND overrides IS NOT NULL
             UNION
             SELECT w.uuid FROM data_event d
             JOIN data_event w
               ON w.overrides IS NOT NULL AND w.overrides @> jsonb_build_array(jsonb_build_object('eventUuid', d.uuid))
             WHERE d.record_uuid = $1 AND d.action = 'DELETE'
           ), named AS (
             SELECT e.uuid AS winner, o.uuid AS loser, ARRAY(SELECT jsonb_array_elements_text(x.properties)) AS properties
             FROM winners
             JOIN data_event e USING (uuid)
             CROSS JOIN LATERAL jsonb_to_recordset(e.overrides) AS x("eventUuid" uuid, properties jsonb)
             JOIN data_event o ON o.uuid = x."eventUuid"
             UNION
             SELECT e.uuid, o.uuid, '{}'
             FROM winners
             JOIN data_event e USING (uuid)
             CROSS JOIN LATERAL jsonb_to_recordset(e.overrides) AS x("eventUuid" uuid)
             JOIN data_event f ON f.uuid = x."eventUuid" AND f.action = 'DELETE'
             JOIN data_event o ON o.record_uuid = f.record_uuid AND o.uuid > f.uuid AND o.uuid < e.uuid
               AND o.action = 'DELETE' AND o.source_adaptor_uuid IS DISTINCT FROM e.source_adaptor_uuid
           )
           SELECT e.uuid AS winner, e.source_adaptor_uuid AS winner_source, e.record_uuid AS winner_record,
                  o.uuid AS loser, o.source_adaptor_uuid AS loser_source, o.record_uuid AS loser_record, n.properties
           FROM named n JOIN data_event e ON e.uuid = n.winner JOIN data_event o ON o.uuid = n.loser
           WHERE e.uuid = ANY ($2::uuid[]) OR o.uuid = ANY ($2::uuid[])
           ORDER BY e.uuid, o.uuid`,
    values: [recordUuid, eventUuids],
  });
  const crossings = new Map<string, { overrides: CrossedEvent[]; overriddenBy: CrossedEvent[] }>();
  const of = (eventUuid: string) => {
    const known = crossings.get(eventUuid) ?? { overrides: [], overriddenBy: [] };
    crossings.set(eventUuid, known);
    return known;
  };
  for (const { winner, loser, properties, ...sources } of rows) {
    const { winner_source, winner_record, loser_source, loser_record } = sources;
    const lost = { eventUuid: loser, recordUuid: loser_record, sourceAdaptorUuid: loser_source, properties };
    const won = { eventUuid: winner, recordUuid: winner_record, sourceAdaptorUuid: winner_source, properties };
    of(winner).overrides.push(lost);
    of(loser).overriddenBy.push(won);
  }
  return crossings;
};
