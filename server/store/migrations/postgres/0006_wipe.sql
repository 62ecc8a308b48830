ALTER TABLE "sync"."sync_peer" ADD COLUMN "wipe_asked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sync"."sync_peer" ADD COLUMN "wiped_at" timestamp (3) with time zone;