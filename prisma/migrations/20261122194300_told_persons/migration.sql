-- AlterTable
ALTER TABLE "zone_user" ADD COLUMN     "knows_person" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "told_email" TEXT,
ADD COLUMN     "told_name" TEXT,
ADD COLUMN     "told_sso_id" TEXT,
ADD COLUMN     "told_username" TEXT;
