-- finds the change that overrode a deletion and created the record again, which then has another uuid
CREATE INDEX "data_event_overrides_idx" ON "data_event" USING gin ("overrides" jsonb_path_ops) WHERE "overrides" IS NOT NULL;
