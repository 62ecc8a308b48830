CREATE TABLE "grading"."assessment_category" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"subject_id" uuid,
	"assessment_type" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"weight" double precision NOT NULL,
	"drop_lowest" integer NOT NULL,
	"is_extra_credit" boolean NOT NULL,
	"sort_order" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "assessment_category_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "assessment_category_type" CHECK ("grading"."assessment_category"."assessment_type" in ('exam', 'coursework')),
	CONSTRAINT "assessment_category_counting" CHECK ("grading"."assessment_category"."weight" between 0 and 100 and "grading"."assessment_category"."drop_lowest" between 0 and 10)
);
--> statement-breakpoint
CREATE TABLE "student"."attendance_register" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"day" date NOT NULL,
	"lesson" integer NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "attendance_register_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "attendance_register_once" UNIQUE("school_id","student_group_id","day","lesson"),
	CONSTRAINT "attendance_register_lesson" CHECK ("student"."attendance_register"."lesson" between 0 and 12)
);
--> statement-breakpoint
CREATE TABLE "student"."attendance_mark" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"student_id" uuid NOT NULL,
	"day" date NOT NULL,
	"lesson" integer NOT NULL,
	"code" text COLLATE "C" NOT NULL,
	"note" text COLLATE "C",
	"created_by" uuid,
	"updated_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "attendance_mark_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "attendance_mark_once" UNIQUE("school_id","student_group_id","day","lesson","student_id"),
	CONSTRAINT "attendance_mark_lesson" CHECK ("student"."attendance_mark"."lesson" between 0 and 12),
	CONSTRAINT "attendance_mark_code" CHECK ("student"."attendance_mark"."code" in ('present', 'absent', 'late', 'excused'))
);
--> statement-breakpoint
ALTER TABLE "term" DROP CONSTRAINT "term_name";--> statement-breakpoint
ALTER TABLE "school" ADD COLUMN "personal_data_for" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "academic_year" ADD COLUMN "scale_pass_mark" double precision;--> statement-breakpoint
ALTER TABLE "academic_year" ADD COLUMN "scale_bands" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD COLUMN "category_id" uuid;--> statement-breakpoint
ALTER TABLE "grading"."assessment_category" ADD CONSTRAINT "assessment_category_year_fk" FOREIGN KEY ("school_id","academic_year_id") REFERENCES "public"."academic_year"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."assessment_category" ADD CONSTRAINT "assessment_category_subject_fk" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."attendance_register" ADD CONSTRAINT "attendance_register_class" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."attendance_mark" ADD CONSTRAINT "attendance_mark_class" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."attendance_mark" ADD CONSTRAINT "attendance_mark_student_fk" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assessment_category_year" ON "grading"."assessment_category" USING btree ("school_id","academic_year_id");--> statement-breakpoint
CREATE INDEX "attendance_mark_student" ON "student"."attendance_mark" USING btree ("school_id","student_id","day");--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD CONSTRAINT "assessment_category_fk" FOREIGN KEY ("school_id","category_id") REFERENCES "grading"."assessment_category"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assessment_category_use" ON "grading"."assessment" USING btree ("school_id","category_id");--> statement-breakpoint
ALTER TABLE "academic_year" ADD CONSTRAINT "academic_year_scale" CHECK ("academic_year"."scale_pass_mark" between 0 and 100);--> statement-breakpoint
ALTER TABLE "term" ADD CONSTRAINT "term_name" CHECK (length("term"."name") between 1 and 40);