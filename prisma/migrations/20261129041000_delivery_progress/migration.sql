-- when messages of an outbox were sent and acknowledged
CREATE TABLE "delivery_progress" (
  "adaptor_uuid" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  "upto" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "delivery_progress_pkey" PRIMARY KEY ("adaptor_uuid", "kind", "upto")
);
CREATE INDEX "delivery_progress_at_idx" ON "delivery_progress" USING BRIN ("at");

INSERT INTO "retention_progress" ("subject", "rests_until") VALUES ('DELIVERY_PROGRESS', 'epoch');

-- the stewards of existing zones may explain events as those of new zones do
INSERT INTO "permission" (uuid, zone_uuid, action, resource, holder_type, holder_uuid)
SELECT gen_random_uuid(), zone_uuid, 'GET', '/explain/*', 'ROLE', uuid
FROM "role" WHERE managed AND name IN ('Data Governance Steward', 'Zone Data Steward')
ON CONFLICT DO NOTHING;
