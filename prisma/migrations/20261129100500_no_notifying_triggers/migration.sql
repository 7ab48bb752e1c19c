-- A transaction that notifies keeps other notifying transactions waiting until its commit is on disk. Processes notify after
-- the commit, in a separate statement.
DROP TRIGGER "change_log_notify" ON "change_log";
DROP FUNCTION fds_change_log_notify();
DROP TRIGGER "delivery_notify" ON "delivery";
DROP FUNCTION fds_delivery_notify();
