CREATE TABLE "account_notice" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"program" text COLLATE "C",
	"system" text COLLATE "C",
	"address" text COLLATE "C",
	CONSTRAINT "account_notice_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "account_notice_once" UNIQUE("user_id","session_id","kind"),
	CONSTRAINT "account_notice_kind" CHECK ("account_notice"."kind" in ('sign_in', 'totp', 'recovery_codes'))
);
--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "program" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "system" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "address" text COLLATE "C";