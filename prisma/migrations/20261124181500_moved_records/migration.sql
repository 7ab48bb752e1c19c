-- AlterTable
ALTER TABLE "record_count" ADD COLUMN "moves" BIGINT NOT NULL DEFAULT 0;

-- Most updates leave the DR Key as it is: the condition keeps them from calling the function.
CREATE FUNCTION fds_count_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_count (domain_version_uuid, moves) VALUES (NEW.domain_version_uuid, 1);
  RETURN NULL;
END $$;
CREATE TRIGGER data_record_count_moved AFTER UPDATE OF "dr_key" ON "data_record"
  FOR EACH ROW WHEN (OLD.dr_key IS DISTINCT FROM NEW.dr_key) EXECUTE FUNCTION fds_count_move();
