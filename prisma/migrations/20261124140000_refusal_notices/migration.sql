-- CreateTable
CREATE TABLE "refusal_notice" (
    "issue_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "notice" TEXT NOT NULL,

    CONSTRAINT "refusal_notice_pkey" PRIMARY KEY ("issue_uuid")
);

-- CreateIndex
CREATE INDEX "refusal_notice_adaptor_uuid_issue_uuid_idx" ON "refusal_notice"("adaptor_uuid", "issue_uuid");

-- AddForeignKey
ALTER TABLE "refusal_notice" ADD CONSTRAINT "refusal_notice_issue_uuid_fkey" FOREIGN KEY ("issue_uuid") REFERENCES "data_issue"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refusal_notice" ADD CONSTRAINT "refusal_notice_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor_channel"("adaptor_uuid") ON DELETE CASCADE ON UPDATE CASCADE;
