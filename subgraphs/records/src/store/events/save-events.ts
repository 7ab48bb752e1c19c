import { binaryArray, noteNews, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import { defaultPriority } from '../../domain/issues/default-priority.js';
import type { AcceptedEvent, EventOutcome, PlannedDelivery, RaisedIssue } from '../../domain/events/event-outcome.js';
import { writeExplanation } from '../../domain/events/explanation.js';

/** Keeps accepted events. */
export const saveEvents = async (client: SqlSession, outcomes: readonly EventOutcome[]): Promise<void> => {
  const accepted = outcomes.flatMap((outcome) =>
    outcome.event === undefined ? [] : { event: outcome.event, outcome },
  );
  if (accepted.length === 0) return;
  const events = accepted.map(({ event }) => event);
  await client.query({
    name: 'records-save-events',
    text: `INSERT INTO data_event (uuid, transaction_uuid, action, match_status, record_uuid, domain_version_uuid,
                                   source_adaptor_uuid, dr_key, denied, overrides, create_time, not_stored, changed,
                                   explanation, request_id)
           SELECT uuid, transaction_uuid, action, match_status, record_uuid, version_uuid, source_uuid, dr_key::jsonb,
                  denied::jsonb, overrides::jsonb, to_timestamp(create_ms / 1000.0), not_stored::jsonb,
                  changed::jsonb, explanation, request_id
           FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[],
                       $9::text[], $10::text[], $11::double precision[], $12::text[], $13::text[], $14::text[],
                       $15::text[])
             AS n(uuid, transaction_uuid, action, match_status, record_uuid, version_uuid, source_uuid, dr_key, denied,
                  overrides, create_ms, not_stored, changed, explanation, request_id)`,
    values: [
      binaryArray.uuid(events.map((event) => event.uuid)),
      binaryArray.uuid(events.map((event) => event.transactionUuid)),
      binaryArray.text(events.map((event) => event.action)),
      binaryArray.text(events.map((event) => event.matchStatus)),
      binaryArray.uuid(events.map((event) => event.recordUuid)),
      binaryArray.uuid(events.map((event) => event.domainVersionUuid)),
      binaryArray.uuid(events.map((event) => event.sourceAdaptorUuid)),
      binaryArray.text(events.map((event) => stringifyJson(event.drKey))),
      binaryArray.text(events.map((event) => (event.denied.length === 0 ? null : stringifyJson(event.denied)))),
      binaryArray.text(events.map(({ overrides }) => (overrides === undefined ? null : stringifyJson(overrides)))),
      binaryArray.float8(events.map((event) => event.createTime)),
      binaryArray.text(events.map(({ notStored }) => (notStored === undefined ? null : stringifyJson(notStored)))),
      binaryArray.text(events.map(({ changed }) => (changed === undefined ? null : stringifyJson(changed)))),
      binaryArray.text(accepted.map(({ event, outcome }) => writeExplanation(event, outcome))),
      binaryArray.text(events.map(({ requestId }) => requestId ?? null)),
    ],
  });
};

/** Keeps events without news. No statement without any. */
export const saveEchoes = async (client: SqlSession, outcomes: readonly EventOutcome[]): Promise<void> => {
  const echoes = outcomes.flatMap((outcome) => (outcome.echo === undefined ? [] : { event: outcome.echo, outcome }));
  if (echoes.length === 0) return;
  const events = echoes.map(({ event }) => event);
  await client.query({
    name: 'records-save-echoes',
    text: `INSERT INTO data_echo (uuid, transaction_uuid, action, record_uuid, domain_version_uuid, source_adaptor_uuid,
                                  dr_key, explanation, create_time)
           SELECT uuid, transaction_uuid, action, record_uuid, version_uuid, source_uuid, dr_key::jsonb, explanation,
                  to_timestamp(create_ms / 1000.0)
           FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
                       $9::double precision[])
             AS n(uuid, transaction_uuid, action, record_uuid, version_uuid, source_uuid, dr_key, explanation, create_ms)`,
    values: [
      binaryArray.uuid(events.map((event) => event.uuid)),
      binaryArray.uuid(events.map((event) => event.transactionUuid)),
      binaryArray.text(events.map((event) => event.action)),
      binaryArray.uuid(events.map((event) => event.recordUuid)),
      binaryArray.uuid(events.map((event) => event.domainVersionUuid)),
      binaryArray.uuid(events.map((event) => event.sourceAdaptorUuid)),
      binaryArray.text(events.map((event) => stringifyJson(event.drKey))),
      binaryArray.text(echoes.map(({ event, outcome }) => writeExplanation(event, outcome))),
      binaryArray.float8(events.map((event) => event.createTime)),
    ],
  });
};

/** Notes at former events that they overrode deletions which arrived after them. No statement without any. */
export const saveLateDeletions = async (client: SqlSession, events: readonly AcceptedEvent[]): Promise<void> => {
  const late = events.flatMap(({ uuid, overriddenByUuid }) =>
    overriddenByUuid === undefined ? [] : [{ uuid, overriddenByUuid }],
  );
  if (late.length === 0) return;
  await client.query({
    name: 'records-save-late-deletions',
    text: `UPDATE data_event e SET overrides = coalesce(e.overrides, '[]') || n.late
           FROM (SELECT winner, jsonb_agg(jsonb_build_object('eventUuid', loser, 'properties', '[]'::jsonb)) AS late
                 FROM unnest($1::uuid[], $2::uuid[]) AS l(winner, loser) GROUP BY winner) n
           -- by the index: a join alone is planned while the table is small
           WHERE e.uuid = n.winner AND e.uuid = ANY ($1::uuid[])`,
    values: [
      binaryArray.uuid(late.map(({ overriddenByUuid }) => overriddenByUuid)),
      binaryArray.uuid(late.map(({ uuid }) => uuid)),
    ],
  });
};

/** Queues messages in their destinations' outboxes. */
export const saveDeliveries = async (client: SqlSession, deliveries: readonly PlannedDelivery[]): Promise<void> => {
  if (deliveries.length === 0) return;
  noteNews(
    'fds_delivery',
    deliveries.map(({ adaptorUuid }) => adaptorUuid),
  );
  const isTraced = deliveries.some(({ traceparent }) => traceparent !== undefined);
  const [column, parameter] = isTraced ? [', traceparent', ', $9::text[]'] : ['', ''];
  await client.query({
    name: isTraced ? 'records-save-traced-deliveries' : 'records-save-deliveries',
    text: `INSERT INTO delivery (adaptor_uuid, sequence, event_uuid, record_uuid, action, removed_properties, message,
                                 content${column})
           SELECT adaptor_uuid, sequence, event_uuid, record_uuid, action,
                  CASE WHEN removed IS NULL THEN '{}' ELSE ARRAY(SELECT jsonb_array_elements_text(removed::jsonb)) END,
                  message, content${column}
           FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bytea[]${parameter})
             AS n(adaptor_uuid, sequence, event_uuid, record_uuid, action, removed, message, content${column})`,
    values: [
      binaryArray.uuid(deliveries.map((delivery) => delivery.adaptorUuid)),
      binaryArray.int8(deliveries.map((delivery) => delivery.sequence)),
      binaryArray.uuid(deliveries.map((delivery) => delivery.eventUuid)),
      binaryArray.uuid(deliveries.map((delivery) => delivery.recordUuid)),
      binaryArray.text(deliveries.map((delivery) => delivery.action)),
      binaryArray.text(
        deliveries.map(({ removedProperties }) =>
          removedProperties.length === 0 ? null : stringifyJson(removedProperties),
        ),
      ),
      binaryArray.text(deliveries.map((delivery) => delivery.message)),
      binaryArray.bytea(deliveries.map(({ content }) => content ?? null)),
      ...(isTraced ? [binaryArray.text(deliveries.map(({ traceparent }) => traceparent ?? null))] : []),
    ],
  });
};

/** Null: no number is known. */
const toStoredNumber = (sequence: number | undefined): number | null =>
  sequence === undefined || !Number.isFinite(sequence) ? null : sequence;

/** Keeps events that could not be processed. */
export const saveIssues = async (client: SqlSession, issues: readonly RaisedIssue[]): Promise<void> => {
  if (issues.length === 0) return;
  await client.query({
    name: 'records-save-issues',
    text: `INSERT INTO data_issue (uuid, title, exception, match_status, zone_uuid, adaptor_uuid, domain_version_uuid,
                                   record_uuid, key_digest, cause, data_event, errors, issue_priority, seen_applied,
                                   seen_begun, brake_uuid, row_digest)
           SELECT uuid, title, exception, match_status, zone_uuid, adaptor_uuid, version_uuid, record_uuid,
                  decode(digest, 'hex'), cause, data_event, errors, priority, seen_applied, seen_begun, brake_uuid,
                  decode(malformed_digest, 'hex')
           FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[],
                       $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[],
                       $16::uuid[], $17::text[])
             AS n(uuid, title, exception, match_status, zone_uuid, adaptor_uuid, version_uuid, record_uuid, digest,
                  cause, data_event, errors, priority, seen_applied, seen_begun, brake_uuid, malformed_digest)`,
    values: [
      issues.map((issue) => issue.uuid),
      issues.map((issue) => issue.title),
      issues.map((issue) => issue.exception),
      issues.map((issue) => issue.matchStatus),
      issues.map((issue) => issue.zoneUuid),
      issues.map((issue) => issue.adaptorUuid),
      issues.map((issue) => issue.domainVersionUuid),
      issues.map((issue) => issue.recordUuid),
      issues.map((issue) => issue.keyDigest),
      issues.map((issue) => issue.cause),
      issues.map((issue) => issue.dataEvent),
      issues.map((issue) => stringifyJson(issue.errors)),
      issues.map((issue) => defaultPriority(issue.cause)),
      issues.map(({ seen }) => toStoredNumber(seen?.applied)),
      issues.map(({ seen }) => toStoredNumber(seen?.begun)),
      issues.map(({ brakeUuid }) => brakeUuid ?? null),
      issues.map(({ malformedDigest }) => malformedDigest ?? null),
    ],
  });
};
