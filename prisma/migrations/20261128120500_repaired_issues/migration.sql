-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "failed_properties" TEXT[],
ADD COLUMN     "row_digest" BYTEA;
