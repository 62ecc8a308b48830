ALTER TABLE "term" DROP CONSTRAINT "term_name";--> statement-breakpoint
ALTER TABLE "academic_year" ADD COLUMN "scale_pass_mark" double precision;--> statement-breakpoint
ALTER TABLE "academic_year" ADD COLUMN "scale_bands" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "academic_year" ADD CONSTRAINT "academic_year_scale" CHECK ("academic_year"."scale_pass_mark" between 0 and 100);--> statement-breakpoint
ALTER TABLE "term" ADD CONSTRAINT "term_name" CHECK (length("term"."name") between 1 and 40);