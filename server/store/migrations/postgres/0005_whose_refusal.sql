ALTER TABLE "sync"."sync_refused" ADD COLUMN "node_id" uuid;--> statement-breakpoint
ALTER TABLE "sync"."sync_refused" ADD COLUMN "counter" bigint;--> statement-breakpoint
ALTER TABLE "sync"."sync_refused" ADD COLUMN "parent_id" uuid;