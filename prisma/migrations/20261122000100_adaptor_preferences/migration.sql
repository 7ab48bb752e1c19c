-- CreateTable
CREATE TABLE "adaptor_preference" (
    "uuid" UUID NOT NULL,
    "zone_uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "adaptor_uuid" UUID NOT NULL,
    "preference_type" TEXT NOT NULL,
    "created_by_uuid" UUID,
    "date_created" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_updated" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "change_version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "adaptor_preference_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE INDEX "adaptor_preference_adaptor_uuid_idx" ON "adaptor_preference"("adaptor_uuid");

-- CreateIndex
CREATE INDEX "adaptor_preference_domain_version_uuid_idx" ON "adaptor_preference"("domain_version_uuid");

-- CreateIndex
CREATE UNIQUE INDEX "adaptor_preference_zone_uuid_domain_version_uuid_adaptor_uu_key" ON "adaptor_preference"("zone_uuid", "domain_version_uuid", "adaptor_uuid");

-- AddForeignKey
ALTER TABLE "adaptor_preference" ADD CONSTRAINT "adaptor_preference_zone_uuid_fkey" FOREIGN KEY ("zone_uuid") REFERENCES "zone"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_preference" ADD CONSTRAINT "adaptor_preference_domain_version_uuid_fkey" FOREIGN KEY ("domain_version_uuid") REFERENCES "domain_version"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_preference" ADD CONSTRAINT "adaptor_preference_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
