-- CreateTable
CREATE TABLE "redelivery" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'RUNNING',
    "domain_version_uuid" UUID,
    "from_time" TIMESTAMPTZ(3),
    "to_time" TIMESTAMPTZ(3),
    "dr_uuids" UUID[],
    "query" TEXT,
    "sent" BIGINT NOT NULL DEFAULT 0,
    "withheld" BIGINT NOT NULL DEFAULT 0,
    "unanswered" BIGINT NOT NULL DEFAULT 0,
    "position" UUID,
    "last_record_uuid" UUID NOT NULL,
    "message" TEXT,
    "started_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "date_finished" TIMESTAMPTZ(3),
    "owner" UUID,
    "owned_until" TIMESTAMPTZ(3),

    CONSTRAINT "redelivery_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE INDEX "redelivery_adaptor_uuid_idx" ON "redelivery"("adaptor_uuid");

-- CreateIndex
CREATE INDEX "redelivery_status_idx" ON "redelivery"("status");
