-- AlterTable
ALTER TABLE "adaptor_channel" ADD COLUMN     "down_sent" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "record_reference" (
    "record_uuid" UUID NOT NULL,
    "pointer" TEXT NOT NULL,
    "target_uuid" UUID NOT NULL,

    CONSTRAINT "record_reference_pkey" PRIMARY KEY ("record_uuid","pointer")
);

-- CreateIndex
CREATE INDEX "record_reference_target_uuid_idx" ON "record_reference"("target_uuid");

-- AddForeignKey
ALTER TABLE "record_reference" ADD CONSTRAINT "record_reference_record_uuid_fkey" FOREIGN KEY ("record_uuid") REFERENCES "data_record"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "record_reference" ADD CONSTRAINT "record_reference_target_uuid_fkey" FOREIGN KEY ("target_uuid") REFERENCES "data_record"("uuid") ON DELETE NO ACTION ON UPDATE CASCADE
  DEFERRABLE INITIALLY DEFERRED;

-- a data-store record that is referred to stays; a federated one goes with its sources, whoever refers to it
CREATE FUNCTION fds_forget_federated_target() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM record_reference WHERE target_uuid = OLD.uuid;
  RETURN OLD;
END $$;
CREATE TRIGGER data_record_forget_federated_target BEFORE DELETE ON "data_record"
  FOR EACH ROW WHEN (OLD.json IS NULL) EXECUTE FUNCTION fds_forget_federated_target();
