-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "event_uuid" UUID;

-- CreateTable
CREATE TABLE "issue_match" (
    "issue_uuid" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "record_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID,
    "score" DOUBLE PRECISION,
    "dr_key" JSONB NOT NULL,
    "comparisons" JSONB NOT NULL,

    CONSTRAINT "issue_match_pkey" PRIMARY KEY ("issue_uuid","number")
);

-- AddForeignKey
ALTER TABLE "issue_match" ADD CONSTRAINT "issue_match_issue_uuid_fkey" FOREIGN KEY ("issue_uuid") REFERENCES "data_issue"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
