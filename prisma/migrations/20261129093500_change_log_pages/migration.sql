-- The chain of hashes over the change log. A page proves the entries between its first and its last position.
CREATE TABLE "change_log_page" (
  "number" BIGINT NOT NULL,
  "first_position" BIGINT NOT NULL,
  "last_position" BIGINT NOT NULL,
  "entries" INTEGER NOT NULL,
  "positions" BIGINT[],
  "digests" BYTEA,
  "hash" BYTEA NOT NULL,
  "date_sealed" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "change_log_page_pkey" PRIMARY KEY ("number")
);
CREATE UNIQUE INDEX "change_log_page_last_position_key" ON "change_log_page"("last_position");

-- Entries that explain other entries which the service itself has rewritten: few.
CREATE INDEX "change_log_redaction_idx" ON "change_log"("position") WHERE resource_type = 'ChangeLogRedaction';

-- The administrators of the deployment see the proof.
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'GET', '/change-log/proof', 'ROLE', uuid
FROM "role" WHERE managed AND name = 'Root Admin'
ON CONFLICT DO NOTHING;
