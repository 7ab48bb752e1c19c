-- CreateTable
CREATE TABLE "adaptor_discovery" (
    "adaptor_uuid" UUID NOT NULL,
    "domain_version_uuid" UUID NOT NULL,
    "records" BIGINT NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "adaptor_discovery_pkey" PRIMARY KEY ("adaptor_uuid","domain_version_uuid")
);

-- CreateIndex
CREATE INDEX "adaptor_discovery_domain_version_uuid_idx" ON "adaptor_discovery"("domain_version_uuid");

-- AddForeignKey
ALTER TABLE "adaptor_discovery" ADD CONSTRAINT "adaptor_discovery_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_discovery" ADD CONSTRAINT "adaptor_discovery_domain_version_uuid_fkey" FOREIGN KEY ("domain_version_uuid") REFERENCES "domain_version"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
