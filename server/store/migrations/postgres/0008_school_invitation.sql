CREATE TABLE "school_invitation" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"code_hash" text COLLATE "C",
	"invited_by" uuid NOT NULL,
	"invited_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "school_invitation_school_id_email_pk" PRIMARY KEY("school_id","email"),
	CONSTRAINT "school_invitation_role" CHECK ("school_invitation"."role" in ('admin', 'teacher', 'member'))
);
--> statement-breakpoint
CREATE INDEX "school_invitation_email" ON "school_invitation" USING btree ("email");