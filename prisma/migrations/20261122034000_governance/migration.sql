-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "cause" TEXT;

-- CreateTable
CREATE TABLE "zone_acl_record" (
    "acl_uuid" UUID NOT NULL,
    "record_uuid" UUID NOT NULL,

    CONSTRAINT "zone_acl_record_pkey" PRIMARY KEY ("acl_uuid","record_uuid")
);

-- CreateTable
CREATE TABLE "operational_acl" (
    "uuid" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT,
    "source_zone_uuid" UUID,
    "source_adaptor_uuid" UUID,
    "domain_version_uuid" UUID,
    "post" TEXT,
    "delete" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "operational_acl_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "acl_metric" (
    "chain" TEXT NOT NULL,
    "subject_uuid" UUID NOT NULL,
    "allowed" BIGINT NOT NULL DEFAULT 0,
    "denied" BIGINT NOT NULL DEFAULT 0,
    "last_matched" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "acl_metric_pkey" PRIMARY KEY ("subject_uuid","chain")
) WITH (fillfactor = 50);

-- CreateIndex
CREATE INDEX "operational_acl_position_idx" ON "operational_acl"("position");

-- CreateIndex
CREATE INDEX "data_issue_status_cause_uuid_idx" ON "data_issue"("status", "cause", "uuid");

-- AddForeignKey
ALTER TABLE "zone_acl_record" ADD CONSTRAINT "zone_acl_record_acl_uuid_fkey" FOREIGN KEY ("acl_uuid") REFERENCES "zone_acl"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
