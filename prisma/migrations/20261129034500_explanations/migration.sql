-- what is kept with an event to explain it
ALTER TABLE "data_event" ADD COLUMN "explanation" TEXT, ADD COLUMN "request_id" TEXT;

-- the events of a person's request; those of adaptors have no request
CREATE INDEX "data_event_request_id_idx" ON "data_event"("request_id") WHERE "request_id" IS NOT NULL;

-- events without news
CREATE TABLE "data_echo" (
  "uuid" UUID NOT NULL,
  "transaction_uuid" UUID NOT NULL,
  "action" TEXT NOT NULL,
  "record_uuid" UUID NOT NULL,
  "domain_version_uuid" UUID NOT NULL,
  "source_adaptor_uuid" UUID NOT NULL,
  "dr_key" JSONB NOT NULL,
  "explanation" TEXT NOT NULL,
  "create_time" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "data_echo_pkey" PRIMARY KEY ("uuid")
);
CREATE INDEX "data_echo_record_uuid_uuid_idx" ON "data_echo"("record_uuid", "uuid");
CREATE INDEX "data_echo_transaction_uuid_idx" ON "data_echo"("transaction_uuid");

INSERT INTO "retention_progress" ("subject", "rests_until") VALUES ('DATA_ECHOES', 'epoch');

-- the event of an issue is found by its transaction
CREATE INDEX "data_issue_transaction_idx"
  ON "data_issue" ((substring("data_event" FROM '"transactionUuid"\s*:\s*"([0-9a-fA-F-]{36})"')))
  WHERE "data_event" IS NOT NULL;
