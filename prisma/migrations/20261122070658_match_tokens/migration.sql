-- AlterTable
ALTER TABLE "data_issue" ADD COLUMN     "before" TEXT;

-- CreateTable
CREATE TABLE "match_token" (
    "domain_version_uuid" UUID NOT NULL,
    "token" BIGINT NOT NULL,
    "record_uuid" UUID NOT NULL,

    CONSTRAINT "match_token_pkey" PRIMARY KEY ("domain_version_uuid","token","record_uuid")
);

-- CreateTable
CREATE TABLE "match_index" (
    "domain_version_uuid" UUID NOT NULL,
    "fingerprint" TEXT,

    CONSTRAINT "match_index_pkey" PRIMARY KEY ("domain_version_uuid")
);

-- CreateIndex
CREATE INDEX "match_token_record_uuid_idx" ON "match_token"("record_uuid");

-- In the transaction that changes the algorithm: while it was another one, tokens may have come out differently, or not at all.
CREATE FUNCTION fds_empty_match_index() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE match_index SET fingerprint = NULL WHERE domain_version_uuid = NEW.uuid;
  RETURN NULL;
END $$;
CREATE TRIGGER domain_version_empty_match_index AFTER UPDATE OF matching_algorithm ON "domain_version"
  FOR EACH ROW WHEN (OLD.matching_algorithm IS DISTINCT FROM NEW.matching_algorithm)
  EXECUTE FUNCTION fds_empty_match_index();
