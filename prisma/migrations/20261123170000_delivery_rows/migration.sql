-- An answer that delivers a message is kept in the row of the message: one row for most messages instead of two.
ALTER TABLE "notification_message"
  ADD COLUMN "delivered_at" TIMESTAMPTZ(3),
  ADD COLUMN "delivered_ms" INTEGER,
  ADD COLUMN "delivered_status" INTEGER;

-- Every message up to `settled_upto` has left the queue, so that no index has to hold the status.
ALTER TABLE "notification_receiver" ADD COLUMN "settled_upto" BIGINT NOT NULL DEFAULT 0;
UPDATE "notification_receiver" r SET "settled_upto" = coalesce(
  (SELECT min(m."sequence") - 1 FROM "notification_message" m
   WHERE m."registration_uuid" = r."registration_uuid" AND m."status" = 'QUEUED'),
  (SELECT max(m."sequence") FROM "notification_message" m WHERE m."registration_uuid" = r."registration_uuid"),
  0);
DROP INDEX "notification_message_queued_idx";

-- BRIN takes no part in updates of a row: a message that is settled changes no other index.
DROP INDEX "notification_message_settled_at_idx";
CREATE INDEX "notification_message_settled_at_idx" ON "notification_message" USING BRIN ("settled_at");

-- A message is written twice. The second version fits into the page of the first one.
ALTER TABLE "notification_message" SET (fillfactor = 50);
