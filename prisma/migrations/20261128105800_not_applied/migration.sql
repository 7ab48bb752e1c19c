-- AlterTable
ALTER TABLE "delivery" ADD COLUMN "not_applied" JSONB;
