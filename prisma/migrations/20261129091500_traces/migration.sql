-- The trace that a change and a message continue. The setting exists only in a transaction whose trace is recorded.
ALTER TABLE "change_log" ADD COLUMN "traceparent" TEXT DEFAULT NULLIF(current_setting('fds.traceparent', true), '');
ALTER TABLE "delivery" ADD COLUMN "traceparent" TEXT DEFAULT NULLIF(current_setting('fds.traceparent', true), '');
