-- what was queued for adaptors that have not linked the record yet: their echo must be told from a change
ALTER TABLE "data_record" ADD COLUMN "expected_content" JSONB;

-- where the present epoch begins: the number on the wire is the outbox's number less this, so that a new epoch counts
-- from 1 without renumbering the outbox
ALTER TABLE "adaptor_channel" ADD COLUMN "down_base" BIGINT NOT NULL DEFAULT 0;

-- what an open issue holds back: later events of the key from the same adaptor
ALTER TABLE "data_issue" ADD COLUMN "key_digest" BYTEA;

-- CreateIndex
CREATE INDEX "data_issue_adaptor_uuid_domain_version_uuid_key_digest_idx" ON "data_issue"("adaptor_uuid", "domain_version_uuid", "key_digest");
