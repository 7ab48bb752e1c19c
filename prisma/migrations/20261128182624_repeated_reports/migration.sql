-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "repeated_by" UUID;
