-- AlterTable
ALTER TABLE "domain_version" ADD COLUMN     "search_properties" TEXT[] DEFAULT ARRAY[]::TEXT[];
