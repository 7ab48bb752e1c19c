-- AlterTable
ALTER TABLE "redelivery" ADD COLUMN     "total" BIGINT;
