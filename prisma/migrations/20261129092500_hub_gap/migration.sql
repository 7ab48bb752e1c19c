-- What a restored database does not remember of an adaptor.
CREATE TABLE "hub_gap" (
  "adaptor_uuid" UUID NOT NULL,
  "issue_uuid" UUID,
  "missing_up" BIGINT NOT NULL DEFAULT 0,
  "missing_down" BIGINT NOT NULL DEFAULT 0,
  "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "hub_gap_pkey" PRIMARY KEY ("adaptor_uuid")
);

ALTER TABLE "hub_gap" ADD CONSTRAINT "hub_gap_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor_channel"("adaptor_uuid") ON DELETE CASCADE ON UPDATE CASCADE;
