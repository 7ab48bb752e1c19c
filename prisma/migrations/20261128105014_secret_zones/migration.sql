-- AlterTable
ALTER TABLE "adaptor_type" ADD COLUMN     "secret_zones" UUID[] DEFAULT ARRAY[]::UUID[];

-- Adaptors of other zones that inherit secrets already keep them: their zones are named.
UPDATE "adaptor_type" t SET "secret_zones" = ARRAY(
  SELECT DISTINCT a."zone_uuid" FROM "adaptor" a
  WHERE a."adaptor_type_uuid" = t."uuid" AND a."metadata" IS NULL AND a."zone_uuid" IS DISTINCT FROM t."zone_uuid")
WHERE t."default_metadata" LIKE '%"***"%';
