-- CreateTable
CREATE TABLE "idempotent_request" (
    "scope_digest" BYTEA NOT NULL,
    "request_digest" BYTEA NOT NULL,
    "claim_uuid" UUID NOT NULL,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "log_position" BIGINT NOT NULL,
    "sealed_answer" TEXT,
    "date_created" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotent_request_pkey" PRIMARY KEY ("scope_digest")
);

-- CreateIndex
CREATE INDEX "idempotent_request_date_created_idx" ON "idempotent_request"("date_created");
