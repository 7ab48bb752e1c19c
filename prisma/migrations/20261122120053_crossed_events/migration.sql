-- AlterTable
ALTER TABLE "data_event" ADD COLUMN     "overrides" JSONB;

