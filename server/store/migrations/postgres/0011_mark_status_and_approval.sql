ALTER TABLE "grading"."grade" ALTER COLUMN "score" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "school" ADD COLUMN "mark_codes" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "school" ADD COLUMN "approves_reports" boolean;--> statement-breakpoint
ALTER TABLE "grading"."grade" ADD COLUMN "status" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD COLUMN "approved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD COLUMN "approved_by" uuid;