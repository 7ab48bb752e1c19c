-- CreateTable
CREATE TABLE "notification_registration" (
    "uuid" UUID NOT NULL,
    "user_uuid" UUID NOT NULL,
    "callback" TEXT NOT NULL,
    "callback_type" TEXT NOT NULL,
    "events" TEXT NOT NULL,
    "http_headers" TEXT NOT NULL,
    "oauth2_registration" TEXT,
    "sealed_credentials" TEXT,
    "sealed_secret" TEXT NOT NULL,
    "sealed_previous" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "secret_unseen" BOOLEAN NOT NULL,
    "status" TEXT NOT NULL,
    "last_delivery" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "after_position" BIGINT NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL,
    "last_updated" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notification_registration_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "notification_receiver" (
    "registration_uuid" UUID NOT NULL,
    "queued_messages" INTEGER NOT NULL DEFAULT 0,
    "queued_bytes" BIGINT NOT NULL DEFAULT 0,
    "next_attempt" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "lease_owner" UUID,
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "notification_receiver_pkey" PRIMARY KEY ("registration_uuid")
);

-- CreateTable
CREATE TABLE "notification_message" (
    "uuid" UUID NOT NULL,
    "registration_uuid" UUID NOT NULL,
    "position" BIGINT NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "bytes" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "date_created" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_message_pkey" PRIMARY KEY ("uuid")
);

-- CreateTable
CREATE TABLE "notification_attempt" (
    "message_uuid" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL,
    "milliseconds" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "http_status" INTEGER,
    "error" TEXT,

    CONSTRAINT "notification_attempt_pkey" PRIMARY KEY ("message_uuid","number")
);

-- CreateTable
CREATE TABLE "notification_cursor" (
    "reader" TEXT NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "notification_cursor_pkey" PRIMARY KEY ("reader")
);

-- CreateTable
CREATE TABLE "notification_socket" (
    "uuid" UUID NOT NULL,
    "user_uuid" UUID NOT NULL,
    "instance_uuid" UUID NOT NULL,
    "subscriptions" TEXT NOT NULL,
    "date_created" TIMESTAMPTZ(3) NOT NULL,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notification_socket_pkey" PRIMARY KEY ("uuid")
);

-- CreateIndex
CREATE INDEX "notification_registration_user_uuid_date_created_idx" ON "notification_registration"("user_uuid", "date_created");

-- CreateIndex
CREATE UNIQUE INDEX "notification_registration_user_uuid_callback_callback_type_key" ON "notification_registration"("user_uuid", "callback", "callback_type");

-- CreateIndex
CREATE INDEX "notification_message_registration_uuid_sequence_idx" ON "notification_message"("registration_uuid", "sequence");

-- CreateIndex
CREATE INDEX "notification_message_settled_at_idx" ON "notification_message"("settled_at");

-- CreateIndex
CREATE UNIQUE INDEX "notification_message_registration_uuid_position_key" ON "notification_message"("registration_uuid", "position");

-- CreateIndex
CREATE INDEX "notification_socket_user_uuid_date_created_idx" ON "notification_socket"("user_uuid", "date_created");

-- CreateIndex
CREATE INDEX "notification_socket_instance_uuid_idx" ON "notification_socket"("instance_uuid");

-- CreateIndex
CREATE INDEX "notification_socket_leased_until_idx" ON "notification_socket"("leased_until");

-- AddForeignKey
ALTER TABLE "notification_receiver" ADD CONSTRAINT "notification_receiver_registration_uuid_fkey" FOREIGN KEY ("registration_uuid") REFERENCES "notification_registration"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_message" ADD CONSTRAINT "notification_message_registration_uuid_fkey" FOREIGN KEY ("registration_uuid") REFERENCES "notification_registration"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_attempt" ADD CONSTRAINT "notification_attempt_message_uuid_fkey" FOREIGN KEY ("message_uuid") REFERENCES "notification_message"("uuid") ON DELETE CASCADE ON UPDATE CASCADE;

-- What waits for a receiver, without what it has got already.
CREATE INDEX "notification_message_queued_idx" ON "notification_message"("registration_uuid", "sequence") WHERE status = 'QUEUED';
