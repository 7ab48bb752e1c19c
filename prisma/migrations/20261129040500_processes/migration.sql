-- Each server process has a row, which it renews while it runs.
CREATE TABLE "server_process" (
  "uuid" UUID NOT NULL,
  "parts" TEXT[],
  "version" TEXT NOT NULL,
  "host" TEXT NOT NULL,
  "date_started" TIMESTAMPTZ(3) NOT NULL,
  "heartbeat" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "takes_leases" BOOLEAN NOT NULL,
  "bus_connected" BOOLEAN,
  "change_log_lag" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "server_process_pkey" PRIMARY KEY ("uuid")
);

-- The administrators of the deployment see them.
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'GET', '/processes', 'ROLE', uuid
FROM "role" WHERE managed AND name = 'Root Admin'
ON CONFLICT DO NOTHING;
