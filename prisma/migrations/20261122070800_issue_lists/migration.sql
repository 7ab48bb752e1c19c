-- DropIndex
DROP INDEX "data_issue_adaptor_uuid_status_idx";

-- DropIndex
DROP INDEX "data_issue_zone_uuid_status_idx";

-- CreateIndex
CREATE INDEX "data_issue_adaptor_uuid_status_uuid_idx" ON "data_issue"("adaptor_uuid", "status", "uuid");

-- CreateIndex
CREATE INDEX "data_issue_adaptor_uuid_uuid_idx" ON "data_issue"("adaptor_uuid", "uuid");

-- CreateIndex
CREATE INDEX "data_issue_adaptor_uuid_domain_version_uuid_status_uuid_idx" ON "data_issue"("adaptor_uuid", "domain_version_uuid", "status", "uuid");

-- CreateIndex
CREATE INDEX "data_issue_zone_uuid_status_uuid_idx" ON "data_issue"("zone_uuid", "status", "uuid");

-- CreateIndex
CREATE INDEX "data_issue_zone_uuid_uuid_idx" ON "data_issue"("zone_uuid", "uuid");
