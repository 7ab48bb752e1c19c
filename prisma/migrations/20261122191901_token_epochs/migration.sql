-- Tokens carry the epoch of their holder's secret: a new password or secret starts a new one.
ALTER TABLE "person" ADD COLUMN "token_epoch" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "adaptor_registration" ADD COLUMN "token_epoch" INTEGER NOT NULL DEFAULT 0;
-- tokens that were ended by time before stay ended
UPDATE "person" SET "token_epoch" = 1 WHERE "tokens_valid_from" > "date_created";
UPDATE "adaptor_registration" SET "token_epoch" = 1 WHERE "tokens_valid_from" IS NOT NULL;
ALTER TABLE "adaptor_registration" DROP COLUMN "tokens_valid_from";

-- Where a sign-in under way was started from: each address has a share.
ALTER TABLE "oidc_artifact" ADD COLUMN "origin" TEXT;
CREATE INDEX "oidc_artifact_model_origin_expires_at_idx" ON "oidc_artifact" ("model", "origin", "expires_at");
