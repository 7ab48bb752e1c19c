-- AlterTable
ALTER TABLE "adaptor" ADD COLUMN     "deletion_minimum" INTEGER DEFAULT 100,
ADD COLUMN     "deletion_percent" DOUBLE PRECISION DEFAULT 10,
ADD COLUMN     "deletion_seconds" INTEGER DEFAULT 60;

-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "brake_uuid" UUID;

-- CreateTable
CREATE TABLE "deletion_window" (
    "adaptor_uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "began_at" TIMESTAMPTZ(3) NOT NULL,
    "linked" BIGINT NOT NULL,
    "passed" BIGINT NOT NULL,

    CONSTRAINT "deletion_window_pkey" PRIMARY KEY ("adaptor_uuid","domain_version_uuid")
);

-- CreateTable
CREATE TABLE "mass_deletion" (
    "issue_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "decision" TEXT,
    "closed" BOOLEAN NOT NULL DEFAULT false,
    "actor_uuid" UUID,

    CONSTRAINT "mass_deletion_pkey" PRIMARY KEY ("issue_uuid")
);

-- CreateIndex
CREATE INDEX "mass_deletion_adaptor_uuid_domain_version_uuid_idx" ON "mass_deletion"("adaptor_uuid", "domain_version_uuid");

-- CreateIndex
CREATE INDEX "data_issue_brake_uuid_uuid_idx" ON "data_issue"("brake_uuid", "uuid");

-- AddForeignKey
ALTER TABLE "deletion_window" ADD CONSTRAINT "deletion_window_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor_channel"("adaptor_uuid") ON DELETE CASCADE ON UPDATE CASCADE;
