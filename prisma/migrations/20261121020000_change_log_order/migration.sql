-- readers wait for the writers in flight, by the lock that writing takes (prisma/src/change-log-window.ts), which keeps
-- changes in order of position and is not held up by other databases of the server: the column is not needed
ALTER TABLE "change_log" DROP COLUMN "transaction_id";
