-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "seen_applied" BIGINT,
ADD COLUMN     "seen_begun" BIGINT;

