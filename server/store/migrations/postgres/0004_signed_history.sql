ALTER TABLE "sync"."history" ADD COLUMN "detail" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "sync"."history" ADD COLUMN "proof" text COLLATE "C";