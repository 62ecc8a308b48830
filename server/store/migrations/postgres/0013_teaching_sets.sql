CREATE TABLE "student"."teaching_set" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teaching_set_school_id_id_pk" PRIMARY KEY("school_id","id")
);
--> statement-breakpoint
CREATE TABLE "staff"."teaching_set_teacher" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"teaching_set_id" uuid NOT NULL,
	"user_profile_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teaching_set_teacher_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "teaching_set_teacher_once" UNIQUE("school_id","teaching_set_id","user_profile_id")
);
--> statement-breakpoint
CREATE TABLE "student"."teaching_set_member" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"teaching_set_id" uuid NOT NULL,
	"student_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teaching_set_member_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "teaching_set_member_once" UNIQUE("school_id","teaching_set_id","student_id")
);
--> statement-breakpoint
ALTER TABLE "student"."teaching_set" ADD CONSTRAINT "teaching_set_year_fk" FOREIGN KEY ("school_id","academic_year_id") REFERENCES "public"."academic_year"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."teaching_set" ADD CONSTRAINT "teaching_set_subject_fk" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."teaching_set_teacher" ADD CONSTRAINT "teaching_set_teacher_set" FOREIGN KEY ("school_id","teaching_set_id") REFERENCES "student"."teaching_set"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."teaching_set_teacher" ADD CONSTRAINT "teaching_set_teacher_profile" FOREIGN KEY ("user_profile_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."teaching_set_member" ADD CONSTRAINT "teaching_set_member_set" FOREIGN KEY ("school_id","teaching_set_id") REFERENCES "student"."teaching_set"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."teaching_set_member" ADD CONSTRAINT "teaching_set_member_pupil" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "teaching_set_year" ON "student"."teaching_set" USING btree ("school_id","academic_year_id","subject_id");--> statement-breakpoint
CREATE INDEX "teaching_set_teacher_user" ON "staff"."teaching_set_teacher" USING btree ("school_id","user_profile_id");--> statement-breakpoint
CREATE INDEX "teaching_set_member_student" ON "student"."teaching_set_member" USING btree ("school_id","student_id");