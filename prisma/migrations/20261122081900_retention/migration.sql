-- CreateTable
CREATE TABLE "retention_progress" (
    "subject" TEXT NOT NULL,
    "after" UUID,
    "rests_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "retention_progress_pkey" PRIMARY KEY ("subject")
);

-- CreateIndex
CREATE INDEX "data_issue_record_uuid_status_idx" ON "data_issue"("record_uuid", "status");

INSERT INTO "retention_progress" ("subject", "rests_until") VALUES ('DATA_EVENTS', 'epoch'), ('CLOSED_ISSUES', 'epoch');
