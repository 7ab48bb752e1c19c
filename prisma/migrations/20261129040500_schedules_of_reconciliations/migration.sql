-- AlterTable
ALTER TABLE "zone" ADD COLUMN     "reconcile" TEXT;
