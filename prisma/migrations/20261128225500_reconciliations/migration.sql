-- AlterTable
ALTER TABLE "data_event" ADD COLUMN     "changed" JSONB;

-- CreateTable
CREATE TABLE "reconciliation" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'RUNNING',
    "preview" BOOLEAN NOT NULL,
    "value_policy" TEXT NOT NULL,
    "missing_here" TEXT NOT NULL,
    "missing_there" TEXT NOT NULL,
    "properties" JSONB,
    "query" TEXT,
    "equal" BIGINT NOT NULL DEFAULT 0,
    "differing" BIGINT NOT NULL DEFAULT 0,
    "lacked_here" BIGINT NOT NULL DEFAULT 0,
    "lacked_there" BIGINT NOT NULL DEFAULT 0,
    "unreadable" BIGINT NOT NULL DEFAULT 0,
    "sent" BIGINT NOT NULL DEFAULT 0,
    "denied" BIGINT NOT NULL DEFAULT 0,
    "by_property" JSONB NOT NULL DEFAULT '{}',
    "unread" JSONB NOT NULL DEFAULT '{}',
    "total" BIGINT NOT NULL DEFAULT 0,
    "scanned" BIGINT NOT NULL DEFAULT 0,
    "position" UUID,
    "last_record_uuid" UUID,
    "message" TEXT,
    "started_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "date_finished" TIMESTAMPTZ(3),
    "owner" UUID,
    "owned_until" TIMESTAMPTZ(3),

    CONSTRAINT "reconciliation_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "reconciliation_difference" (
    "reconciliation_uuid" UUID NOT NULL,
    "record_uuid" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "dr_key" JSONB NOT NULL,
    "pairs" JSONB NOT NULL,
    "properties" TEXT[],

    CONSTRAINT "reconciliation_difference_pkey" PRIMARY KEY ("reconciliation_uuid","record_uuid")
);

-- CreateIndex
CREATE INDEX "reconciliation_adaptor_uuid_domain_version_uuid_status_idx" ON "reconciliation"("adaptor_uuid", "domain_version_uuid", "status");

-- CreateIndex
CREATE INDEX "reconciliation_status_idx" ON "reconciliation"("status");

-- AddForeignKey
ALTER TABLE "reconciliation_difference" ADD CONSTRAINT "reconciliation_difference_reconciliation_uuid_fkey" FOREIGN KEY ("reconciliation_uuid") REFERENCES "reconciliation"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- One job of an adaptor and a version at a time
CREATE UNIQUE INDEX "reconciliation_running_key" ON "reconciliation"("adaptor_uuid", "domain_version_uuid") WHERE "status" = 'RUNNING';
