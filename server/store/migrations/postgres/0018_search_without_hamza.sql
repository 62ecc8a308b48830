-- The folding of names no longer keeps the madda, hamza and small alif of Arabic letters (shared/domain/fold.ts).
-- The owner of the table may not be a superuser; row-level security would hide every row from it.
ALTER TABLE "student"."student" NO FORCE ROW LEVEL SECURITY;--> statement-breakpoint
UPDATE "student"."student" SET
	"sort_key" = replace(replace(replace(replace("sort_key", chr(1619), ''), chr(1620), ''), chr(1621), ''), chr(1648), ''),
	"search_key" = replace(replace(replace(replace("search_key", chr(1619), ''), chr(1620), ''), chr(1621), ''), chr(1648), '')
	WHERE "search_key" ~ '[\u0653-\u0655\u0670]';--> statement-breakpoint
ALTER TABLE "student"."student" FORCE ROW LEVEL SECURITY;
