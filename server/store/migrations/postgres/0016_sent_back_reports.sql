ALTER TABLE "reporting"."report_book" ADD COLUMN "sent_back_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD COLUMN "sent_back_by" uuid;--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD COLUMN "sent_back_reason" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD COLUMN "sent_back_hash" text COLLATE "C";