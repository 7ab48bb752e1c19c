-- tells the types of the changed resources, so that readers of few types sleep through the changes of others
CREATE OR REPLACE FUNCTION fds_change_log_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('fds_change_log', resource_type) FROM (SELECT DISTINCT resource_type FROM added) AS types;
  RETURN NULL;
END $$;
DROP TRIGGER change_log_notify ON "change_log";
CREATE TRIGGER change_log_notify AFTER INSERT ON "change_log" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION fds_change_log_notify();
