import { isJsonObject, parseJson, stringifyJson } from '@fds/json';
import { digestOf, redactionType } from './change-log-line.js';
import type { Queryable } from './queryable.js';

/** A page as it was sealed. */
export interface SealedLogPage {
  readonly number: bigint;
  readonly lastPosition: bigint;
  readonly entries: number;
  /** Hexadecimal. */
  readonly hash: string;
}

export interface LogSeal {
  /** A position at or below which no new entry can appear. */
  readonly settled: bigint;
  /** Most entries of a page. */
  readonly pageEntries: number;
  /** A page with fewer entries is sealed when its oldest entry is from this time or earlier. */
  readonly sealBefore: Date;
}

const digestBytes = 32;
/** The hash before the first page. */
const origin = `decode(repeat('00', ${digestBytes}), 'hex')`;

/**
 * Seals the next page of the change log. Several processes may call it at the same time: the page has the same content
 * for each of them, and is stored once.
 *
 * @returns undefined when there is no page to seal, or another process has sealed it
 */
export const sealLogPage = async (
  session: Queryable,
  { settled, pageEntries, sealBefore }: LogSeal,
): Promise<SealedLogPage | undefined> => {
  const { rows } = await session.query<SealedLogPage>({
    name: 'change-log-seal',
    text: `WITH last AS (SELECT number, last_position, hash FROM change_log_page ORDER BY number DESC LIMIT 1),
           entry AS (
             SELECT c.position, c.date_created, ${digestOf('c')} AS digest FROM change_log c
             WHERE c.position > coalesce((SELECT last_position FROM last), 0) AND c.position <= $1
             ORDER BY c.position LIMIT $2),
           page AS (
             SELECT count(*)::int AS entries, min(position) AS first, max(position) AS last, min(date_created) AS oldest,
                    array_agg(position ORDER BY position) AS positions,
                    string_agg(digest, ''::bytea ORDER BY position) AS digests
             FROM entry)
           INSERT INTO change_log_page (number, first_position, last_position, entries, positions, digests, hash)
           SELECT coalesce((SELECT number FROM last), 0) + 1, first, last, entries, positions, digests,
                  sha256(coalesce((SELECT hash FROM last), ${origin}) || digests)
           FROM page WHERE entries = $2 OR (entries > 0 AND oldest <= $3)
           ON CONFLICT DO NOTHING
           RETURNING number, last_position AS "lastPosition", entries, encode(hash, 'hex') AS hash`,
    values: [settled, pageEntries, sealBefore],
  });
  return rows[0];
};

/** A difference between a page and the log. */
export interface LogFault {
  readonly kind: 'CHANGED' | 'MISSING' | 'INSERTED' | 'CHAIN';
  /** Null for CHAIN: the page itself does not fit the page before it, or is missing. */
  readonly position: bigint | null;
}

/** A page of the chain, compared with the log. */
export interface LogPage {
  readonly page: bigint;
  readonly firstPosition: bigint;
  readonly lastPosition: bigint;
  readonly entries: number;
  /** Entries that retention has removed. */
  readonly removed: number;
  /** Entries that the service itself has rewritten. */
  readonly redacted: number;
  readonly previousHash: string;
  readonly hash: string;
  readonly dateSealed: Date;
  readonly state: 'INTACT' | 'REMOVED' | 'BROKEN';
  readonly faults: readonly LogFault[];
  readonly digests: readonly { readonly position: bigint; readonly digest: string }[];
}

interface PageRow {
  readonly page: bigint;
  readonly firstPosition: bigint;
  readonly lastPosition: bigint;
  readonly entries: number;
  readonly positions: readonly bigint[] | null;
  readonly digests: string | null;
  readonly previousHash: string | null;
  readonly hash: string;
  readonly dateSealed: Date;
  readonly isChained: boolean;
  readonly removedUpTo: bigint;
  readonly differences: readonly {
    readonly position: string;
    readonly expected: string | null;
    readonly found: string | null;
  }[];
}

/** Most differences of a page that are named. */
const maxDifferences = 1_000;

const loadPageRows = async (session: Queryable, after: bigint, limit: number): Promise<readonly PageRow[]> => {
  const { rows } = await session.query<PageRow>(
    `WITH page AS (
       SELECT p.*, q.hash AS previous_hash, coalesce(q.last_position, CASE p.number WHEN 1 THEN 0 ELSE p.first_position - 1 END) AS previous_last
       FROM change_log_page p LEFT JOIN change_log_page q ON q.number = p.number - 1
       WHERE p.number > $1 ORDER BY p.number LIMIT $2),
     removal AS (SELECT coalesce((SELECT up_to FROM change_log_removal), 0) AS up_to)
     SELECT p.number AS page, p.first_position AS "firstPosition", p.last_position AS "lastPosition", p.entries, p.positions,
            encode(p.digests, 'hex') AS digests, encode(p.previous_hash, 'hex') AS "previousHash",
            encode(p.hash, 'hex') AS hash, p.date_sealed AS "dateSealed", r.up_to AS "removedUpTo",
            coalesce((p.number = 1 OR p.previous_hash IS NOT NULL)
                AND (CASE WHEN p.digests IS NULL THEN p.last_position <= r.up_to
                     ELSE p.hash = sha256(coalesce(p.previous_hash, ${origin}) || p.digests)
                       AND cardinality(p.positions) = p.entries
                       AND octet_length(p.digests) = p.entries * ${digestBytes} END), false) AS "isChained",
            coalesce((SELECT json_agg(json_build_object('position', d.position::text, 'expected', encode(d.expected, 'hex'),
                                                        'found', encode(d.found, 'hex')) ORDER BY d.position)
                      FROM (SELECT coalesce(e.position, c.position) AS position, e.digest AS expected, c.digest AS found
                            FROM (SELECT u.position, substring(p.digests FROM (u.place::int - 1) * ${digestBytes} + 1 FOR ${digestBytes}) AS digest
                                  FROM unnest(p.positions) WITH ORDINALITY AS u(position, place)) e
                            FULL JOIN (SELECT l.position, ${digestOf('l')} AS digest FROM change_log l
                                       WHERE l.position > p.previous_last AND l.position <= p.last_position) c
                              ON c.position = e.position
                            WHERE e.digest IS DISTINCT FROM c.digest
                            ORDER BY 1 LIMIT ${maxDifferences}) d), '[]'::json) AS differences
     FROM page p CROSS JOIN removal r ORDER BY p.number`,
    [after, limit],
  );
  return rows;
};

/** The digests that rewritten entries had before and have now, by position. */
type Redactions = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the entries that name the ones that the service itself has rewritten, from a position on. */
const loadRedactions = async (session: Queryable, from: bigint): Promise<Redactions> => {
  const { rows } = await session.query<{ readonly data: string | null }>(
    `SELECT data FROM change_log WHERE resource_type = '${redactionType}' AND position > $1 ORDER BY position`,
    [from],
  );
  const redactions = new Map<string, Map<string, string>>();
  for (const { data } of rows) {
    const told = data === null ? undefined : parseJson(data);
    const entries = isJsonObject(told) ? told['entries'] : undefined;
    for (const entry of Array.isArray(entries) ? entries : []) {
      if (!isJsonObject(entry)) continue;
      const { position, before, after } = entry;
      if (typeof before !== 'string' || typeof after !== 'string') continue;
      const at = stringifyJson(position ?? null);
      const steps = redactions.get(at) ?? new Map<string, string>();
      steps.set(before, after);
      redactions.set(at, steps);
    }
  }
  return redactions;
};

/** Do the redactions of an entry lead from the sealed digest to the present one? */
const isRedacted = (steps: ReadonlyMap<string, string> | undefined, sealed: string, present: string): boolean => {
  let digest: string | undefined = sealed;
  for (let step = 0; digest !== undefined && step <= (steps?.size ?? 0); step += 1) {
    if (digest === present) return true;
    digest = steps?.get(digest);
  }
  return false;
};

const comparePage = (row: PageRow, redactions: Redactions | undefined): LogPage => {
  const { isChained, removedUpTo, differences, positions, digests, ...shown } = row;
  let removed = row.digests === null ? row.entries : 0;
  let redacted = 0;
  const faults: LogFault[] = isChained ? [] : [{ kind: 'CHAIN', position: null }];
  for (const { position: text, expected, found } of differences) {
    const position = BigInt(text);
    if (expected === null) faults.push({ kind: 'INSERTED', position });
    else if (found !== null) {
      if (isRedacted(redactions?.get(text), expected, found)) redacted += 1;
      else faults.push({ kind: 'CHANGED', position });
    } else if (position <= removedUpTo) removed += 1;
    else faults.push({ kind: 'MISSING', position });
  }
  const state = faults.length > 0 ? 'BROKEN' : removed === row.entries ? 'REMOVED' : 'INTACT';
  return {
    ...shown,
    previousHash: row.previousHash ?? '0'.repeat(digestBytes * 2),
    removed,
    redacted,
    state,
    faults,
    digests: (digests === null ? [] : (positions ?? [])).map((position, place) => ({
      position,
      digest: digests?.slice(place * digestBytes * 2, (place + 1) * digestBytes * 2) ?? '',
    })),
  };
};

/** Compares pages with the log, in order. Each was read in one snapshot of the database. */
export const listLogPages = async (
  session: Queryable,
  { after, limit }: { readonly after: bigint; readonly limit: number },
): Promise<{ readonly pages: readonly LogPage[]; readonly more: boolean }> => {
  const rows = await loadPageRows(session, after, limit + 1);
  const pages = rows.slice(0, limit);
  const changed = pages.find(({ differences }) =>
    differences.some((each) => each.expected !== null && each.found !== null),
  );
  const redactions = changed === undefined ? undefined : await loadRedactions(session, changed.firstPosition);
  return { pages: pages.map((row) => comparePage(row, redactions)), more: rows.length > limit };
};
