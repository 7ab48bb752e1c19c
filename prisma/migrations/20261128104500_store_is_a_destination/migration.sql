-- AlterTable
ALTER TABLE "data_event" ADD COLUMN "not_stored" JSONB;
