-- finds the messages to an adaptor about a removed record that the adaptor names by uuid alone
CREATE INDEX "removed_link_record_uuid_idx" ON "removed_link"("record_uuid");
