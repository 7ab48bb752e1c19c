-- CreateTable
CREATE TABLE "record_count" (
    "domain_version_uuid" UUID NOT NULL,
    "entry" BIGSERIAL NOT NULL,
    "adaptor_uuid" UUID,
    "records" BIGINT NOT NULL DEFAULT 0,
    "linked" BIGINT NOT NULL DEFAULT 0,
    "links" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "record_count_pkey" PRIMARY KEY ("domain_version_uuid","entry")
);

-- Every statement that adds or removes rows adds entries: no row is shared, so writers never wait for one another.
CREATE FUNCTION fds_count_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_count (domain_version_uuid, records)
  SELECT domain_version_uuid, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
  FROM changed GROUP BY domain_version_uuid;
  RETURN NULL;
END $$;
CREATE TRIGGER data_record_count_added AFTER INSERT ON "data_record" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fds_count_records();
CREATE TRIGGER data_record_count_removed AFTER DELETE ON "data_record" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fds_count_records();

-- A record is linked from its first link to its last. Whoever adds or removes links has locked the records before.
-- Links are found by the index: the plan of a table that was empty is kept when it has grown.
CREATE FUNCTION fds_count_added_links() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO record_count (domain_version_uuid, adaptor_uuid, links)
  SELECT domain_version_uuid, adaptor_uuid, count(*) FROM changed GROUP BY domain_version_uuid, adaptor_uuid;
  INSERT INTO record_count (domain_version_uuid, linked)
  SELECT domain_version_uuid, count(*) FROM (
    SELECT domain_version_uuid, record_uuid, count(*) AS links FROM changed GROUP BY domain_version_uuid, record_uuid
  ) AS added
  WHERE links = (SELECT count(*) FROM record_link l WHERE l.record_uuid = added.record_uuid)
  GROUP BY domain_version_uuid;
  RETURN NULL;
END $$;
CREATE FUNCTION fds_count_removed_links() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  INSERT INTO record_count (domain_version_uuid, adaptor_uuid, links)
  SELECT domain_version_uuid, adaptor_uuid, -count(*) FROM changed GROUP BY domain_version_uuid, adaptor_uuid;
  INSERT INTO record_count (domain_version_uuid, linked)
  SELECT domain_version_uuid, -count(DISTINCT record_uuid) FROM changed
  WHERE NOT EXISTS (SELECT FROM record_link l WHERE l.record_uuid = changed.record_uuid)
  GROUP BY domain_version_uuid;
  RETURN NULL;
END $$;
CREATE TRIGGER record_link_count_added AFTER INSERT ON "record_link" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fds_count_added_links();
CREATE TRIGGER record_link_count_removed AFTER DELETE ON "record_link" REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fds_count_removed_links();

-- What is there already. Creating the triggers has locked both tables against writers until this is committed.
INSERT INTO record_count (domain_version_uuid, records)
SELECT domain_version_uuid, count(*) FROM data_record GROUP BY domain_version_uuid;
INSERT INTO record_count (domain_version_uuid, adaptor_uuid, links)
SELECT domain_version_uuid, adaptor_uuid, count(*) FROM record_link GROUP BY domain_version_uuid, adaptor_uuid;
INSERT INTO record_count (domain_version_uuid, linked)
SELECT domain_version_uuid, count(DISTINCT record_uuid) FROM record_link GROUP BY domain_version_uuid;
