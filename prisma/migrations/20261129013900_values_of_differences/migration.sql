-- rows whose values are still kept: those of ended jobs are looked for each minute
CREATE INDEX "reconciliation_difference_values_idx" ON "reconciliation_difference"("reconciliation_uuid") WHERE "pairs" @? '$[*].value';
