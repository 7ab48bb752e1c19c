-- AlterTable
ALTER TABLE "adaptor_secrets" ADD COLUMN     "outdated" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "adaptor_type_secrets" ADD COLUMN     "outdated" BOOLEAN NOT NULL DEFAULT false;

-- Addresses with a password in them, and each connectionString of a database adaptor, are secrets from now on. What adaptors
-- and types hold is sealed when the catalog starts, because sealing takes the deployment's key.
UPDATE "adaptor_type" SET "secret_properties" = array_append("secret_properties", 'connectionString')
WHERE "built_in" AND "name" = 'Database Adaptor'
  AND NOT EXISTS (SELECT FROM unnest("secret_properties") AS listed(name) WHERE lower(listed.name) = 'connectionstring');

UPDATE "adaptor_secrets" SET "outdated" = true;

UPDATE "adaptor_type_secrets" SET "outdated" = true;

-- The change log of earlier versions holds them in clear: they are masked.
CREATE FUNCTION fds_carries_password(value JSONB) RETURNS BOOLEAN LANGUAGE sql AS $$
  SELECT jsonb_typeof(value) = 'string' AND (
    (value #>> '{}') ~* '^[a-z][a-z0-9+.-]*:.*[?&;,][^=?&;,]*(password|pwd)[^=?&;,]*=[^?&;,]'
    OR (value #>> '{}') ~* '^[a-z][a-z0-9+.-]*:([^/]|/[^/])*//[^/?#:]*:[^/?#]+@'
    OR (value #>> '{}') ~* '^jdbc:oracle:[a-z0-9]+:[^@/]*/[^@]+@')
$$;

CREATE FUNCTION fds_masked(value JSONB, named BOOLEAN) RETURNS JSONB LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE jsonb_typeof(value)
    WHEN 'object' THEN (
      SELECT COALESCE(jsonb_object_agg(member.key, CASE
        WHEN named AND jsonb_typeof(member.value) <> 'null' AND member.key ~* '(^|\.)connectionString$' THEN '"***"'
        ELSE fds_masked(member.value, named) END), '{}')
      FROM jsonb_each(value) AS member)
    WHEN 'array' THEN (
      SELECT COALESCE(jsonb_agg(fds_masked(item.value, named) ORDER BY item.position), '[]')
      FROM jsonb_array_elements(value) WITH ORDINALITY AS item(value, position))
    WHEN 'string' THEN CASE WHEN fds_carries_password(value) THEN '"***"' ELSE value END
    ELSE value END;
END $$;

-- The text of an entry with its metadata masked; one that cannot be read as JSON loses its content.
CREATE FUNCTION fds_masked_entry(data TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  entry JSONB;
  named BOOLEAN;
BEGIN
  entry := data::JSONB;
  named := EXISTS (
    SELECT FROM "adaptor_type" WHERE "built_in" AND "name" = 'Database Adaptor'
      AND "uuid"::TEXT IN (entry ->> 'adaptorTypeUuid', entry ->> 'uuid'));
  RETURN entry
    || CASE WHEN entry ? 'metadata' THEN jsonb_build_object('metadata', fds_masked(entry -> 'metadata', named)) ELSE '{}' END
    || CASE WHEN entry ? 'defaultMetadata' THEN jsonb_build_object('defaultMetadata', fds_masked(entry -> 'defaultMetadata', named)) ELSE '{}' END;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

UPDATE "change_log" SET "data" = fds_masked_entry("data")
WHERE "resource_type" IN ('Adaptor', 'AdaptorType') AND "data" ~* '(connectionString"\s*:|(password|pwd)[^"]*=|@)';

DROP FUNCTION fds_masked_entry(TEXT);
DROP FUNCTION fds_masked(JSONB, BOOLEAN);
DROP FUNCTION fds_carries_password(JSONB);
