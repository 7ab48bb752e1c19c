import { binaryArray, type SqlSession } from '@fds/database';
import { stringifyJson } from '@fds/json';
import type { RaisedIssue, RaisedPresumption } from '../../domain/events/event-outcome.js';

/** Limit for an issue. More candidates do not help to settle an issue. */
const maxMatches = 100;

/** Keeps the candidates of issues, in place of those that an issue had before. After the issues themselves. */
export const saveMatches = async (
  client: SqlSession,
  issues: readonly Pick<RaisedIssue, 'uuid' | 'matches'>[],
): Promise<void> => {
  const given = issues.filter(({ matches }) => matches !== undefined);
  if (given.length === 0) return;
  const rows = given.flatMap(({ uuid, matches = [] }) =>
    matches.slice(0, maxMatches).map((match, number) => ({ issueUuid: uuid, number, match })),
  );
  await Promise.all([
    client.query({
      name: 'records-delete-matches',
      text: 'DELETE FROM issue_match WHERE issue_uuid = ANY ($1::uuid[])',
      values: [binaryArray.uuid(given.map(({ uuid }) => uuid))],
    }),
    client.query({
      name: 'records-save-matches',
      text: `INSERT INTO issue_match (issue_uuid, number, record_uuid, adaptor_uuid, score, dr_key, comparisons)
             SELECT issue_uuid, number, record_uuid, adaptor_uuid, score, dr_key::jsonb, comparisons::jsonb
             FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::double precision[], $6::text[], $7::text[])
               AS n(issue_uuid, number, record_uuid, adaptor_uuid, score, dr_key, comparisons)`,
      values: [
        binaryArray.uuid(rows.map(({ issueUuid }) => issueUuid)),
        binaryArray.int8(rows.map(({ number }) => number)),
        binaryArray.uuid(rows.map(({ match }) => match.uuid)),
        binaryArray.uuid(rows.map(({ match }) => match.adaptorUuid)),
        binaryArray.float8(rows.map(({ match }) => match.score)),
        binaryArray.text(rows.map(({ match }) => stringifyJson(match.drKey))),
        binaryArray.text(rows.map(({ match }) => stringifyJson(match.comparisons.map((one) => ({ ...one }))))),
      ],
    }),
  ]);
};

/**
 * Notes which events were processed on presumptions, with the data that undoing them needs. After the issues
 * themselves.
 */
export const savePresumptions = async (
  client: SqlSession,
  presumptions: readonly RaisedPresumption[],
): Promise<void> => {
  if (presumptions.length === 0) return;
  await client.query({
    name: 'records-save-presumptions',
    text: `UPDATE data_issue i SET event_uuid = n.event_uuid, before = n.before
           FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS n(uuid, event_uuid, before)
           -- by the index, as in the update of records
           WHERE i.uuid = n.uuid AND i.uuid = ANY ($1::uuid[])`,
    values: [
      binaryArray.uuid(presumptions.map(({ uuid }) => uuid)),
      binaryArray.uuid(presumptions.map(({ eventUuid }) => eventUuid)),
      binaryArray.text(presumptions.map(({ before }) => before)),
    ],
  });
};
