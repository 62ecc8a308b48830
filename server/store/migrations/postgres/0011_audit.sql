CREATE TABLE "sync"."audit_run" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"leased_until" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"is_bad" boolean,
	"found" text COLLATE "C",
	"seal" text COLLATE "C",
	CONSTRAINT "audit_run_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE INDEX "audit_run_school" ON "sync"."audit_run" USING btree ("school_id","begun_at");--> statement-breakpoint
CREATE INDEX "history_by_time" ON "sync"."history" USING btree ("school_id","at");