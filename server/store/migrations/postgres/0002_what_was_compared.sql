ALTER TABLE "sync"."sync_peer" ADD COLUMN "compared_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sync"."sync_peer" ADD COLUMN "difference" text COLLATE "C";