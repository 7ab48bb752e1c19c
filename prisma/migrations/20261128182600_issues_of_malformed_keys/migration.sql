-- finds the issues of a DR Key that is not valid when its adaptor deletes the record
CREATE INDEX "data_issue_row_digest_idx" ON "data_issue"("adaptor_uuid", "row_digest", "uuid") WHERE "row_digest" IS NOT NULL;
