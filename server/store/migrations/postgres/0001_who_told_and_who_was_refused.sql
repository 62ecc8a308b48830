ALTER TABLE "sync"."history" ADD COLUMN "source_id" uuid;--> statement-breakpoint
ALTER TABLE "sync"."sync_refused" ADD COLUMN "peer_id" uuid;