-- DropIndex
DROP INDEX "data_issue_adaptor_uuid_domain_version_uuid_key_digest_idx";

-- CreateIndex
CREATE INDEX "data_issue_adaptor_uuid_domain_version_uuid_key_digest_stat_idx" ON "data_issue"("adaptor_uuid", "domain_version_uuid", "key_digest", "status", "uuid");
