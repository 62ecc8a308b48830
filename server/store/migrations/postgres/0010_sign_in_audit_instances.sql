CREATE TABLE "second_factor" (
	"user_id" uuid NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "second_factor_user_id_pk" PRIMARY KEY("user_id")
);
--> statement-breakpoint
CREATE TABLE "passkey" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"credential_id" text COLLATE "C" NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"public_key" text COLLATE "C" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "passkey_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "passkey_credential" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "server_instance" (
	"id" uuid NOT NULL,
	"place" text COLLATE "C" NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_instance_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
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
ALTER TABLE "account_notice" DROP CONSTRAINT "account_notice_kind";--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "proved_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "passkey_user" ON "passkey" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "audit_run_school" ON "sync"."audit_run" USING btree ("school_id","begun_at");--> statement-breakpoint
CREATE INDEX "history_by_time" ON "sync"."history" USING btree ("school_id","at") WHERE action <> '';--> statement-breakpoint
ALTER TABLE "account_notice" ADD CONSTRAINT "account_notice_kind" CHECK ("account_notice"."kind" in ('sign_in', 'totp', 'recovery_codes', 'passkey', 'second_factor_off'));