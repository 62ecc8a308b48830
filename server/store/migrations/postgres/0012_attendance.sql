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
ALTER TABLE "student"."attendance_register" ADD CONSTRAINT "attendance_register_class" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."attendance_mark" ADD CONSTRAINT "attendance_mark_class" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."attendance_mark" ADD CONSTRAINT "attendance_mark_student_fk" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attendance_mark_student" ON "student"."attendance_mark" USING btree ("school_id","student_id","day");