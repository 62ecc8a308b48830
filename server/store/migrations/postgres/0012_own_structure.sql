ALTER TABLE "term" DROP CONSTRAINT "term_name";--> statement-breakpoint
ALTER TABLE "term" ADD CONSTRAINT "term_name" CHECK (length("term"."name") between 1 and 40);