-- AlterTable
ALTER TABLE "delivery" ADD COLUMN     "content" BYTEA;

-- CreateIndex
CREATE INDEX "data_event_transaction_uuid_record_uuid_idx" ON "data_event"("transaction_uuid", "record_uuid");
