-- a new secret ends the tokens that were obtained with the old one
ALTER TABLE "adaptor_registration" ADD COLUMN "tokens_valid_from" TIMESTAMPTZ(3);
