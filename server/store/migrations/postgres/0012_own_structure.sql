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
ALTER TABLE "term" DROP CONSTRAINT "term_name";--> statement-breakpoint
ALTER TABLE "academic_year" ADD COLUMN "scale_pass_mark" double precision;--> statement-breakpoint
ALTER TABLE "academic_year" ADD COLUMN "scale_bands" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD COLUMN "category_id" uuid;--> statement-breakpoint
ALTER TABLE "grading"."assessment_category" ADD CONSTRAINT "assessment_category_year_fk" FOREIGN KEY ("school_id","academic_year_id") REFERENCES "public"."academic_year"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."assessment_category" ADD CONSTRAINT "assessment_category_subject_fk" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assessment_category_year" ON "grading"."assessment_category" USING btree ("school_id","academic_year_id");--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD CONSTRAINT "assessment_category_fk" FOREIGN KEY ("school_id","category_id") REFERENCES "grading"."assessment_category"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assessment_category_use" ON "grading"."assessment" USING btree ("school_id","category_id");--> statement-breakpoint
ALTER TABLE "academic_year" ADD CONSTRAINT "academic_year_scale" CHECK ("academic_year"."scale_pass_mark" between 0 and 100);--> statement-breakpoint
ALTER TABLE "term" ADD CONSTRAINT "term_name" CHECK (length("term"."name") between 1 and 40);