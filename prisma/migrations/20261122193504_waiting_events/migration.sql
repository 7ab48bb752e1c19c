-- Events that only wait behind an issue (cause HELD) are not issues. Lists of issues must not read them.
DROP INDEX "data_issue_adaptor_uuid_status_uuid_idx";
DROP INDEX "data_issue_adaptor_uuid_uuid_idx";
DROP INDEX "data_issue_adaptor_uuid_domain_version_uuid_status_uuid_idx";
DROP INDEX "data_issue_zone_uuid_status_uuid_idx";
DROP INDEX "data_issue_zone_uuid_uuid_idx";

CREATE INDEX "data_issue_adaptor_status_listed_idx" ON "data_issue"("adaptor_uuid", "status", "uuid") WHERE "cause" IS DISTINCT FROM 'HELD';
CREATE INDEX "data_issue_adaptor_listed_idx" ON "data_issue"("adaptor_uuid", "uuid") WHERE "cause" IS DISTINCT FROM 'HELD';
CREATE INDEX "data_issue_version_listed_idx" ON "data_issue"("adaptor_uuid", "domain_version_uuid", "status", "uuid") WHERE "cause" IS DISTINCT FROM 'HELD';
CREATE INDEX "data_issue_zone_status_listed_idx" ON "data_issue"("zone_uuid", "status", "uuid") WHERE "cause" IS DISTINCT FROM 'HELD';
CREATE INDEX "data_issue_zone_listed_idx" ON "data_issue"("zone_uuid", "uuid") WHERE "cause" IS DISTINCT FROM 'HELD';

-- The events behind an issue, in their order.
CREATE INDEX "data_issue_waiting_idx" ON "data_issue"("adaptor_uuid", "domain_version_uuid", "key_digest", "uuid") WHERE "cause" = 'HELD' AND "status" = 'OPEN';

-- An event that waited and continued left a closed issue until now.
DELETE FROM "data_issue" WHERE "cause" = 'HELD' AND "status" = 'CLOSED';
UPDATE "data_issue" SET "cause" = 'UNREADABLE' WHERE "cause" = 'FAULTY' AND "domain_version_uuid" IS NULL AND "status" = 'OPEN';
