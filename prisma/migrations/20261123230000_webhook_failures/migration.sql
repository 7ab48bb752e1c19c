-- CreateTable
CREATE TABLE "webhook_failure" (
    "adaptor_uuid" UUID NOT NULL,
    "revision" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "not_before" TIMESTAMPTZ(3),
    "detail" TEXT NOT NULL,

    CONSTRAINT "webhook_failure_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- AddForeignKey
ALTER TABLE "webhook_failure" ADD CONSTRAINT "webhook_failure_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor_channel"("adaptor_uuid") ON DELETE CASCADE ON UPDATE CASCADE;
