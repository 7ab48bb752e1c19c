-- Search on DR Keys (subgraphs/shared/search-sql). Both extensions come with PostgreSQL and may be created by the owner
-- of the database; where an installation lacks one, search does without it.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'without pg_trgm: %', SQLERRM;
END
$$;

DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'without fuzzystrmatch: %', SQLERRM;
END
$$;

-- RFC 3339 date-time as seconds since 1970, exact to the last digit of its fraction; null for any other text. A cast to
-- timestamptz would depend on the session, could not be indexed, and would fail for year 0 and for large offsets.
CREATE FUNCTION search_instant(value text) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  year int;
  month int;
  day int;
  era int;
  of_era int;
  zone text;
  offset_seconds int := 0;
BEGIN
  IF value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt\s][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$' THEN
    RETURN NULL;
  END IF;
  month := substr(value, 6, 2)::int;
  day := substr(value, 9, 2)::int;
  year := left(value, 4)::int + 400 - CASE WHEN month <= 2 THEN 1 ELSE 0 END;
  era := year / 400;
  year := year - era * 400;
  of_era := year * 365 + year / 4 - year / 100
    + (153 * (month + CASE WHEN month > 2 THEN -3 ELSE 9 END) + 2) / 5 + day - 1;
  zone := substring(value FROM '([+-][0-9:]+)$');
  IF zone IS NOT NULL THEN
    offset_seconds := substr(zone, 2, 2)::int * 3600 + coalesce(nullif(right(replace(zone, ':', ''), -3), ''), '0')::int * 60;
    IF left(zone, 1) = '-' THEN
      offset_seconds := -offset_seconds;
    END IF;
  END IF;
  RETURN (era * 146097 + of_era - 719468 - 146097)::numeric * 86400 + substr(value, 12, 2)::int * 3600
    + substr(value, 15, 2)::int * 60 + substring(value FROM 18 FOR 2)::int
    + coalesce(substring(value FROM '(\.[0-9]+)')::numeric, 0) - offset_seconds;
END
$$;

-- Do at most so many insertions, deletions and replacements of a character make one text of the other? Stands in for
-- fuzzystrmatch.
CREATE FUNCTION search_within_edits(value text, term text, edits int) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  characters text[] := string_to_array(term, NULL);
  width int := coalesce(array_length(string_to_array(term, NULL), 1), 0);
  before int[];
  now_at int[];
  least_of_row int;
  found text;
BEGIN
  IF abs(length(value) - width) > edits THEN
    RETURN false;
  END IF;
  before := ARRAY(SELECT generate_series(0, width));
  FOR i IN 1..length(value) LOOP
    found := substr(value, i, 1);
    now_at := ARRAY[i];
    least_of_row := i;
    FOR j IN 1..width LOOP
      now_at := now_at || least(
        before[j] + CASE WHEN characters[j] = found THEN 0 ELSE 1 END, before[j + 1] + 1, now_at[j] + 1);
      least_of_row := least(least_of_row, now_at[j + 1]);
    END LOOP;
    IF least_of_row > edits THEN
      RETURN false;
    END IF;
    before := now_at;
  END LOOP;
  RETURN before[width + 1] <= edits;
END
$$;
