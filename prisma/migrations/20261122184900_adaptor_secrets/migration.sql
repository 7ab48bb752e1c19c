-- AlterTable
ALTER TABLE "adaptor_type" ADD COLUMN     "secret_properties" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "adaptor_secrets" (
    "adaptor_uuid" UUID NOT NULL,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "adaptor_secrets_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- CreateTable
CREATE TABLE "adaptor_type_secrets" (
    "adaptor_type_uuid" UUID NOT NULL,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "adaptor_type_secrets_pkey" PRIMARY KEY ("adaptor_type_uuid")
);

-- AddForeignKey
ALTER TABLE "adaptor_secrets" ADD CONSTRAINT "adaptor_secrets_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_type_secrets" ADD CONSTRAINT "adaptor_type_secrets_adaptor_type_uuid_fkey" FOREIGN KEY ("adaptor_type_uuid") REFERENCES "adaptor_type"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The change log of earlier versions holds secrets of metadata in clear: they are masked. What adaptors and types hold is
-- sealed when the catalog starts, because sealing takes the deployment's key.
CREATE FUNCTION fds_masked(value JSONB) RETURNS JSONB LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE jsonb_typeof(value)
    WHEN 'object' THEN (
      SELECT COALESCE(jsonb_object_agg(member.key, CASE
        WHEN jsonb_typeof(member.value) <> 'null' AND member.key ~* '(^|\.)(password|secret|token|clientSecret)$' THEN '"***"'
        ELSE fds_masked(member.value) END), '{}')
      FROM jsonb_each(value) AS member)
    WHEN 'array' THEN (
      SELECT COALESCE(jsonb_agg(fds_masked(item.value) ORDER BY item.position), '[]')
      FROM jsonb_array_elements(value) WITH ORDINALITY AS item(value, position))
    ELSE value END;
END $$;

-- The text of an entry with its metadata masked; one that cannot be read as JSON loses its content.
CREATE FUNCTION fds_masked_entry(data TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  entry JSONB;
BEGIN
  entry := data::JSONB;
  RETURN entry
    || CASE WHEN entry ? 'metadata' THEN jsonb_build_object('metadata', fds_masked(entry -> 'metadata')) ELSE '{}' END
    || CASE WHEN entry ? 'defaultMetadata' THEN jsonb_build_object('defaultMetadata', fds_masked(entry -> 'defaultMetadata')) ELSE '{}' END;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

UPDATE "change_log" SET "data" = fds_masked_entry("data")
WHERE "resource_type" IN ('Adaptor', 'AdaptorType') AND "data" ~* '(password|secret|token)"\s*:';

DROP FUNCTION fds_masked_entry(TEXT);
DROP FUNCTION fds_masked(JSONB);
