-- CreateTable
CREATE TABLE "awaited_key" (
    "domain_version_uuid" UUID NOT NULL,
    "key_digest" BYTEA NOT NULL,
    "issue_uuid" UUID NOT NULL,

    CONSTRAINT "awaited_key_pkey" PRIMARY KEY ("domain_version_uuid","key_digest","issue_uuid")
);

-- CreateIndex
CREATE INDEX "awaited_key_issue_uuid_idx" ON "awaited_key"("issue_uuid");

-- AddForeignKey
ALTER TABLE "awaited_key" ADD CONSTRAINT "awaited_key_issue_uuid_fkey" FOREIGN KEY ("issue_uuid") REFERENCES "data_issue"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
