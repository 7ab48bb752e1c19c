-- CreateTable
CREATE TABLE "adaptor_message" (
    "adaptor_uuid" UUID NOT NULL,
    "id_digest" BYTEA NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "adaptor_message_pkey" PRIMARY KEY ("adaptor_uuid","id_digest")
);

-- CreateTable
CREATE TABLE "adaptor_counts" (
    "adaptor_uuid" UUID NOT NULL,
    "sent" BIGINT NOT NULL DEFAULT 0,
    "received" BIGINT NOT NULL DEFAULT 0,
    "time_zone" TEXT,
    "counted_at" TIMESTAMPTZ(3),
    "known_until" INTEGER NOT NULL DEFAULT 0,
    "asked_at" TIMESTAMPTZ(3),

    CONSTRAINT "adaptor_counts_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- CreateTable
CREATE TABLE "adaptor_minute" (
    "adaptor_uuid" UUID NOT NULL,
    "minute" INTEGER NOT NULL,
    "sent" BIGINT NOT NULL,
    "received" BIGINT NOT NULL,

    CONSTRAINT "adaptor_minute_pkey" PRIMARY KEY ("adaptor_uuid","minute")
);

-- CreateTable
CREATE TABLE "adaptor_shutdown_code" (
    "adaptor_uuid" UUID NOT NULL,
    "code_digest" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "adaptor_shutdown_code_pkey" PRIMARY KEY ("adaptor_uuid")
);

-- AddForeignKey
ALTER TABLE "adaptor_message" ADD CONSTRAINT "adaptor_message_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_counts" ADD CONSTRAINT "adaptor_counts_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_minute" ADD CONSTRAINT "adaptor_minute_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "adaptor_shutdown_code" ADD CONSTRAINT "adaptor_shutdown_code_adaptor_uuid_fkey" FOREIGN KEY ("adaptor_uuid") REFERENCES "adaptor"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;
