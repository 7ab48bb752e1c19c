-- AlterTable
ALTER TABLE "notification_message" ADD COLUMN     "decided_for" TEXT,
ADD COLUMN     "hidden" BOOLEAN NOT NULL DEFAULT false;
