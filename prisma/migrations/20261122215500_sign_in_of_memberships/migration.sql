-- AlterTable
ALTER TABLE "zone_user" ADD COLUMN     "provider_only" BOOLEAN NOT NULL DEFAULT false;
