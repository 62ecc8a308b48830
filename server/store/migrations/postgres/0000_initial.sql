CREATE SCHEMA "grading";
--> statement-breakpoint
CREATE SCHEMA "reporting";
--> statement-breakpoint
CREATE SCHEMA "staff";
--> statement-breakpoint
CREATE SCHEMA "student";
--> statement-breakpoint
CREATE SCHEMA "sync";
--> statement-breakpoint
CREATE TABLE "academic_year" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"start_date" date NOT NULL,
	"end_date" date NOT NULL,
	"grading_model" text COLLATE "C" NOT NULL,
	"calculation_model" text COLLATE "C" NOT NULL,
	"year_exam_weight" double precision,
	"year_coursework_weight" double precision,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "academic_year_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "academic_year_dates" CHECK ("academic_year"."end_date" > "academic_year"."start_date"),
	CONSTRAINT "academic_year_model" CHECK ("academic_year"."grading_model" in ('term_based', 'year_based')),
	CONSTRAINT "academic_year_calculation" CHECK ("academic_year"."calculation_model" in ('weighted_cumulative', 'weighted_continuous', 'continuous_cumulative')),
	CONSTRAINT "academic_year_weights" CHECK ("academic_year"."year_exam_weight" between 0 and 100 and "academic_year"."year_coursework_weight" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "active_year" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"academic_year_id" uuid,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "active_year_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "active_year_once" UNIQUE("school_id")
);
--> statement-breakpoint
CREATE TABLE "grading"."assessment" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"term_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"student_group_id" uuid,
	"title" text COLLATE "C" NOT NULL,
	"assessment_type" text COLLATE "C" NOT NULL,
	"assessment_date" date,
	"max_score" double precision NOT NULL,
	"weight" double precision,
	"is_excluded" boolean NOT NULL,
	"exclusion_reason" text COLLATE "C",
	"sort_order" integer,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "assessment_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "assessment_in_term" UNIQUE("school_id","id","term_id"),
	CONSTRAINT "assessment_type_known" CHECK ("grading"."assessment"."assessment_type" in ('exam', 'coursework')),
	CONSTRAINT "assessment_max_score" CHECK ("grading"."assessment"."max_score" > 0 and "grading"."assessment"."max_score" <= 100000),
	CONSTRAINT "assessment_weight" CHECK ("grading"."assessment"."weight" between 0 and 1000)
);
--> statement-breakpoint
CREATE TABLE "attempt" (
	"key" text COLLATE "C" NOT NULL,
	"count" integer NOT NULL,
	"resets_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "attempt_key_pk" PRIMARY KEY("key")
);
--> statement-breakpoint
CREATE TABLE "reporting"."class_report_file" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"term_id" uuid NOT NULL,
	"report_type" text COLLATE "C" NOT NULL,
	"file_type" text COLLATE "C" NOT NULL,
	"file_path" text COLLATE "C" NOT NULL,
	"file_size" integer NOT NULL,
	"sha256" text COLLATE "C",
	"generated_by" uuid,
	"generated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "class_report_file_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "class_report_file_report_type" CHECK ("reporting"."class_report_file"."report_type" in ('term', 'year_end')),
	CONSTRAINT "class_report_file_file_type" CHECK ("reporting"."class_report_file"."file_type" in ('pdf', 'csv', 'xlsx'))
);
--> statement-breakpoint
CREATE TABLE "staff"."class_teacher" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"user_profile_id" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "class_teacher_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "class_teacher_once" UNIQUE("school_id","student_group_id")
);
--> statement-breakpoint
CREATE TABLE "student"."enrolment" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"enrolled_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "enrolment_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "enrolment_once" UNIQUE("school_id","student_id","academic_year_id")
);
--> statement-breakpoint
CREATE TABLE "grading"."grade" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"assessment_id" uuid NOT NULL,
	"term_id" uuid NOT NULL,
	"student_id" uuid NOT NULL,
	"score" double precision NOT NULL,
	"remarks" text COLLATE "C",
	"is_excluded" boolean NOT NULL,
	"exclusion_reason" text COLLATE "C",
	"created_by" uuid,
	"updated_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "grade_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "grade_once" UNIQUE("school_id","assessment_id","student_id"),
	CONSTRAINT "grade_score" CHECK ("grading"."grade"."score" between 0 and 100000)
);
--> statement-breakpoint
CREATE TABLE "grading"."grading_scale" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"pass_mark" double precision NOT NULL,
	"bands" text COLLATE "C" NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "grading_scale_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "grading_scale_once" UNIQUE("school_id"),
	CONSTRAINT "grading_scale_pass_mark" CHECK ("grading"."grading_scale"."pass_mark" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "sync"."history" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"node_seq" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor_id" uuid,
	"node_id" uuid NOT NULL,
	"entity" text COLLATE "C" NOT NULL,
	"row_id" uuid NOT NULL,
	"near_id" uuid NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"changes" text COLLATE "C" NOT NULL,
	"head" text COLLATE "C" NOT NULL,
	CONSTRAINT "history_school_id_id_pk" PRIMARY KEY("school_id","id")
);
--> statement-breakpoint
CREATE TABLE "reporting"."job" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"wanted" text COLLATE "C",
	"input" text COLLATE "C" NOT NULL,
	"done" integer NOT NULL,
	"total" integer NOT NULL,
	"result_url" text COLLATE "C",
	"failures" text COLLATE "C" NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"runner" uuid,
	"leased_until" timestamp (3) with time zone,
	"taken" integer NOT NULL,
	CONSTRAINT "job_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "job_once" UNIQUE("school_id","wanted"),
	CONSTRAINT "job_kind" CHECK ("reporting"."job"."kind" in ('report_pdfs')),
	CONSTRAINT "job_status" CHECK ("reporting"."job"."status" in ('queued', 'running', 'done', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "sync"."node" (
	"id" uuid NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "node_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "otp_code" (
	"email" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"code_hash" text COLLATE "C" NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"wrong_tries" integer NOT NULL,
	CONSTRAINT "otp_code_email_kind_pk" PRIMARY KEY("email","kind"),
	CONSTRAINT "otp_code_kind" CHECK ("otp_code"."kind" in ('mail', 'desk', 'console'))
);
--> statement-breakpoint
CREATE TABLE "recovery_code" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"slot" integer NOT NULL,
	"set_id" uuid NOT NULL,
	"sealed_hash" text COLLATE "C" NOT NULL,
	"used_set_id" uuid,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "recovery_code_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "recovery_code_slot" UNIQUE("user_id","slot")
);
--> statement-breakpoint
CREATE TABLE "reporting"."report_book" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"term_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"report_type" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"sent_snapshot" text COLLATE "C",
	"snapshot" text COLLATE "C" NOT NULL,
	"overall_average" double precision,
	"position" integer,
	"total_students" integer NOT NULL,
	"class_teacher_remark" text COLLATE "C",
	"conduct" text COLLATE "C",
	"attendance_percentage" double precision,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "report_book_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "report_book_once" UNIQUE("school_id","student_id","term_id","report_type"),
	CONSTRAINT "report_book_type" CHECK ("reporting"."report_book"."report_type" in ('term', 'year_end')),
	CONSTRAINT "report_book_status" CHECK ("reporting"."report_book"."status" in ('draft', 'published', 'sent_to_ministry')),
	CONSTRAINT "report_book_attendance" CHECK ("reporting"."report_book"."attendance_percentage" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "reporting"."report_book_entry" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"report_book_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"coursework_average" double precision,
	"exam_average" double precision,
	"term_composite" double precision,
	"year_grade" double precision,
	"computed_letter" text COLLATE "C",
	"manual_letter" text COLLATE "C",
	"teacher_remark" text COLLATE "C",
	"sort_order" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "report_book_entry_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "report_book_entry_once" UNIQUE("school_id","report_book_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "reporting"."report_book_pdf" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"report_book_id" uuid NOT NULL,
	"file_path" text COLLATE "C" NOT NULL,
	"file_size" integer NOT NULL,
	"sha256" text COLLATE "C",
	"generated_by" uuid,
	"generated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "report_book_pdf_school_id_id_pk" PRIMARY KEY("school_id","id")
);
--> statement-breakpoint
CREATE TABLE "school" (
	"id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"code" text COLLATE "C",
	"school_type" text COLLATE "C" NOT NULL,
	"address" text COLLATE "C",
	"email" text COLLATE "C",
	"phone" text COLLATE "C",
	"crest_path" text COLLATE "C",
	"crest_type" text COLLATE "C",
	"crest_size" integer,
	"crest_sha256" text COLLATE "C",
	"crest_updated_at" timestamp (3) with time zone,
	"is_active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "school_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "school_type_known" CHECK ("school"."school_type" in ('primary', 'secondary'))
);
--> statement-breakpoint
CREATE TABLE "school_join_request" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"message" text COLLATE "C",
	"requested_at" timestamp (3) with time zone NOT NULL,
	"reviewed_at" timestamp (3) with time zone,
	"reviewed_by" uuid,
	CONSTRAINT "school_join_request_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "school_join_request_status" CHECK ("school_join_request"."status" in ('pending', 'approved', 'rejected'))
);
--> statement-breakpoint
CREATE TABLE "school_management" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text COLLATE "C" NOT NULL,
	"is_active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "school_management_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "school_management_once" UNIQUE("user_id","school_id"),
	CONSTRAINT "school_management_role" CHECK ("school_management"."role" in ('admin', 'teacher', 'member'))
);
--> statement-breakpoint
CREATE TABLE "server_secret" (
	"use" text COLLATE "C" NOT NULL,
	"mark" text COLLATE "C" NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_secret_use_pk" PRIMARY KEY("use")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"refresh_hash" text COLLATE "C" NOT NULL,
	"previous_hash" text COLLATE "C",
	"rotated_at" timestamp (3) with time zone,
	"generation" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "session_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "student"."student" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"first_name" text COLLATE "C" NOT NULL,
	"last_name" text COLLATE "C" NOT NULL,
	"gender" text COLLATE "C" NOT NULL,
	"date_of_birth" date,
	"enrollment_date" date,
	"is_active" boolean NOT NULL,
	"student_number" text COLLATE "C",
	"sort_key" text COLLATE "C" NOT NULL,
	"search_key" text COLLATE "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "student_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "student_number_once" UNIQUE("school_id","student_number"),
	CONSTRAINT "student_gender" CHECK ("student"."student"."gender" in ('male', 'female', 'other'))
);
--> statement-breakpoint
CREATE TABLE "student"."student_group" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "student_group_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "student_group_in_year" UNIQUE("school_id","id","academic_year_id"),
	CONSTRAINT "student_group_name_once" UNIQUE("school_id","academic_year_id","name")
);
--> statement-breakpoint
CREATE TABLE "student"."student_subject" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"student_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "student_subject_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "student_subject_once" UNIQUE("school_id","student_id","subject_id","student_group_id")
);
--> statement-breakpoint
CREATE TABLE "subject" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"code" text COLLATE "C" NOT NULL,
	"sort_order" integer NOT NULL,
	"is_active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subject_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "subject_code_once" UNIQUE("school_id","code")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_conflict" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"entity" text COLLATE "C" NOT NULL,
	"row_id" uuid NOT NULL,
	"unit" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"reason" text COLLATE "C",
	"value" text COLLATE "C",
	"node_id" uuid NOT NULL,
	"counter" bigint NOT NULL,
	"hlc" bigint NOT NULL,
	"actor_id" uuid,
	"status" text COLLATE "C" NOT NULL,
	"resolved_at" timestamp (3) with time zone,
	"resolved_by" uuid,
	"resolution" text COLLATE "C",
	CONSTRAINT "sync_conflict_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "sync_conflict_kind" CHECK ("sync"."sync_conflict"."kind" in ('value', 'delete', 'rule', 'right')),
	CONSTRAINT "sync_conflict_status" CHECK ("sync"."sync_conflict"."status" in ('noticed', 'open', 'resolved'))
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_feed" (
	"school_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"head" text COLLATE "C" NOT NULL,
	"floor" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "sync_feed_school_id_pk" PRIMARY KEY("school_id")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_file" (
	"peer_id" uuid NOT NULL,
	"table_name" text COLLATE "C" NOT NULL,
	"row_id" uuid NOT NULL,
	"direction" text COLLATE "C" NOT NULL,
	"tries" integer NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"reason" text COLLATE "C",
	CONSTRAINT "sync_file_peer_id_table_name_row_id_pk" PRIMARY KEY("peer_id","table_name","row_id"),
	CONSTRAINT "sync_file_direction" CHECK ("sync"."sync_file"."direction" in ('down', 'up'))
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_file_place" (
	"peer_id" uuid NOT NULL,
	"epoch" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"people" bigint NOT NULL,
	CONSTRAINT "sync_file_place_peer_id_pk" PRIMARY KEY("peer_id")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_held" (
	"school_id" uuid NOT NULL,
	"table_name" text COLLATE "C" NOT NULL,
	"row_id" uuid NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"reason" text COLLATE "C" NOT NULL,
	"peer_id" uuid,
	"since" timestamp (3) with time zone NOT NULL,
	"tries" integer NOT NULL,
	CONSTRAINT "sync_held_school_id_table_name_row_id_pk" PRIMARY KEY("school_id","table_name","row_id")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_invitation" (
	"id" uuid NOT NULL,
	"code_hash" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"school_id" uuid,
	"user_id" uuid,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "sync_invitation_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "sync_invitation_code" UNIQUE("code_hash")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_peer" (
	"id" uuid NOT NULL,
	"side" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"school_id" uuid,
	"user_id" uuid,
	"node_id" uuid NOT NULL,
	"url" text COLLATE "C",
	"place" integer NOT NULL,
	"public_key" text COLLATE "C" NOT NULL,
	"box_key" text COLLATE "C" NOT NULL,
	"own_epoch" uuid,
	"own_seq" bigint NOT NULL,
	"own_people" bigint NOT NULL,
	"their_epoch" uuid,
	"their_cursor" text COLLATE "C",
	"highest_counter" bigint NOT NULL,
	"history_head" text COLLATE "C",
	"scope" text COLLATE "C",
	"schema" integer DEFAULT 0 NOT NULL,
	"clock_offset" bigint,
	"session_nonce" text COLLATE "C",
	"session_number" bigint NOT NULL,
	"enrolled_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "sync_peer_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_refused" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"table_name" text COLLATE "C" NOT NULL,
	"row_id" uuid NOT NULL,
	"unit" text COLLATE "C" NOT NULL,
	"value" text COLLATE "C",
	"actor_id" uuid,
	"hlc" bigint NOT NULL,
	"code" text COLLATE "C" NOT NULL,
	"refused_at" timestamp (3) with time zone NOT NULL,
	"seen_at" timestamp (3) with time zone,
	CONSTRAINT "sync_refused_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "sync"."sync_row" (
	"school_id" uuid NOT NULL,
	"table_name" text COLLATE "C" NOT NULL,
	"row_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"vv" text COLLATE "C" NOT NULL,
	"units" text COLLATE "C" NOT NULL,
	"deleted" boolean NOT NULL,
	"schema" integer NOT NULL,
	"extra" text COLLATE "C",
	"source_id" uuid,
	"settled" boolean NOT NULL,
	CONSTRAINT "sync_row_school_id_table_name_row_id_pk" PRIMARY KEY("school_id","table_name","row_id")
);
--> statement-breakpoint
CREATE TABLE "staff"."teacher_group_assignment" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"user_profile_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teacher_group_assignment_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "teacher_group_assignment_once" UNIQUE("school_id","user_profile_id","student_group_id")
);
--> statement-breakpoint
CREATE TABLE "staff"."teacher_subject_assignment" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"user_profile_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"student_group_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teacher_subject_assignment_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "teacher_subject_assignment_once" UNIQUE("school_id","user_profile_id","student_group_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "term" (
	"id" uuid NOT NULL,
	"school_id" uuid NOT NULL,
	"academic_year_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"start_date" date NOT NULL,
	"end_date" date NOT NULL,
	"exam_weight" double precision NOT NULL,
	"coursework_weight" double precision NOT NULL,
	"is_ministry_reporting" boolean NOT NULL,
	"sort_order" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "term_school_id_id_pk" PRIMARY KEY("school_id","id"),
	CONSTRAINT "term_name_once" UNIQUE("school_id","academic_year_id","name"),
	CONSTRAINT "term_name" CHECK ("term"."name" in ('michaelmas', 'hilary', 'trinity') or "term"."name" like '~%'),
	CONSTRAINT "term_dates" CHECK ("term"."end_date" > "term"."start_date"),
	CONSTRAINT "term_weights" CHECK ("term"."exam_weight" between 0 and 100 and "term"."coursework_weight" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "totp_enrolment" (
	"user_id" uuid NOT NULL,
	"sealed_secret" text COLLATE "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "totp_enrolment_user_id_pk" PRIMARY KEY("user_id")
);
--> statement-breakpoint
CREATE TABLE "user_profile" (
	"id" uuid NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"first_name" text COLLATE "C",
	"last_name" text COLLATE "C",
	"avatar_path" text COLLATE "C",
	"avatar_type" text COLLATE "C",
	"avatar_size" integer,
	"avatar_sha256" text COLLATE "C",
	"avatar_updated_at" timestamp (3) with time zone,
	"school_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "user_profile_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "user_profile_email" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "user_totp" (
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"sealed_secret" text COLLATE "C" NOT NULL,
	"confirmed_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "user_totp_id_pk" PRIMARY KEY("id"),
	CONSTRAINT "user_totp_once" UNIQUE("user_id")
);
--> statement-breakpoint
ALTER TABLE "academic_year" ADD CONSTRAINT "academic_year_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "active_year" ADD CONSTRAINT "active_year_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "active_year" ADD CONSTRAINT "active_year_year" FOREIGN KEY ("school_id","academic_year_id") REFERENCES "public"."academic_year"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD CONSTRAINT "assessment_term_fk" FOREIGN KEY ("school_id","term_id") REFERENCES "public"."term"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD CONSTRAINT "assessment_subject_fk" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."assessment" ADD CONSTRAINT "assessment_class_fk" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."class_report_file" ADD CONSTRAINT "class_report_file_class_fk" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."class_report_file" ADD CONSTRAINT "class_report_file_term" FOREIGN KEY ("school_id","term_id") REFERENCES "public"."term"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."class_teacher" ADD CONSTRAINT "class_teacher_class" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."class_teacher" ADD CONSTRAINT "class_teacher_assigned" FOREIGN KEY ("school_id","user_profile_id","student_group_id") REFERENCES "staff"."teacher_group_assignment"("school_id","user_profile_id","student_group_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."enrolment" ADD CONSTRAINT "enrolment_student" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."enrolment" ADD CONSTRAINT "enrolment_class_year" FOREIGN KEY ("school_id","student_group_id","academic_year_id") REFERENCES "student"."student_group"("school_id","id","academic_year_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."grade" ADD CONSTRAINT "grade_assessment_term" FOREIGN KEY ("school_id","assessment_id","term_id") REFERENCES "grading"."assessment"("school_id","id","term_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."grade" ADD CONSTRAINT "grade_student_fk" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grading"."grading_scale" ADD CONSTRAINT "grading_scale_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD CONSTRAINT "report_book_student" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD CONSTRAINT "report_book_term" FOREIGN KEY ("school_id","term_id") REFERENCES "public"."term"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."report_book" ADD CONSTRAINT "report_book_class_year" FOREIGN KEY ("school_id","student_group_id","academic_year_id") REFERENCES "student"."student_group"("school_id","id","academic_year_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."report_book_entry" ADD CONSTRAINT "report_book_entry_book" FOREIGN KEY ("school_id","report_book_id") REFERENCES "reporting"."report_book"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."report_book_entry" ADD CONSTRAINT "report_book_entry_subject" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reporting"."report_book_pdf" ADD CONSTRAINT "report_book_pdf_book_fk" FOREIGN KEY ("school_id","report_book_id") REFERENCES "reporting"."report_book"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "school_join_request" ADD CONSTRAINT "school_join_request_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "school_join_request" ADD CONSTRAINT "school_join_request_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "school_management" ADD CONSTRAINT "school_management_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "school_management" ADD CONSTRAINT "school_management_user" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."student" ADD CONSTRAINT "student_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."student_group" ADD CONSTRAINT "student_group_year" FOREIGN KEY ("school_id","academic_year_id") REFERENCES "public"."academic_year"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."student_subject" ADD CONSTRAINT "student_subject_student" FOREIGN KEY ("school_id","student_id") REFERENCES "student"."student"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."student_subject" ADD CONSTRAINT "student_subject_subject" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "student"."student_subject" ADD CONSTRAINT "student_subject_class_fk" FOREIGN KEY ("school_id","student_group_id") REFERENCES "student"."student_group"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subject" ADD CONSTRAINT "subject_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sync"."sync_conflict" ADD CONSTRAINT "sync_conflict_school" FOREIGN KEY ("school_id") REFERENCES "public"."school"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."teacher_group_assignment" ADD CONSTRAINT "teacher_group_assignment_user" FOREIGN KEY ("user_profile_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."teacher_group_assignment" ADD CONSTRAINT "teacher_group_assignment_class_year" FOREIGN KEY ("school_id","student_group_id","academic_year_id") REFERENCES "student"."student_group"("school_id","id","academic_year_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."teacher_subject_assignment" ADD CONSTRAINT "teacher_subject_assignment_subject" FOREIGN KEY ("school_id","subject_id") REFERENCES "public"."subject"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "staff"."teacher_subject_assignment" ADD CONSTRAINT "teacher_subject_assignment_assigned" FOREIGN KEY ("school_id","user_profile_id","student_group_id") REFERENCES "staff"."teacher_group_assignment"("school_id","user_profile_id","student_group_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "term" ADD CONSTRAINT "term_year" FOREIGN KEY ("school_id","academic_year_id") REFERENCES "public"."academic_year"("school_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_totp" ADD CONSTRAINT "user_totp_user" FOREIGN KEY ("user_id") REFERENCES "public"."user_profile"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "assessment_term_subject" ON "grading"."assessment" USING btree ("school_id","term_id","subject_id");--> statement-breakpoint
CREATE INDEX "attempt_expiry" ON "attempt" USING btree ("resets_at");--> statement-breakpoint
CREATE INDEX "class_report_file_class" ON "reporting"."class_report_file" USING btree ("school_id","student_group_id","term_id");--> statement-breakpoint
CREATE INDEX "class_report_file_path" ON "reporting"."class_report_file" USING btree ("file_path");--> statement-breakpoint
CREATE INDEX "enrolment_class" ON "student"."enrolment" USING btree ("school_id","student_group_id");--> statement-breakpoint
CREATE INDEX "grade_student_term" ON "grading"."grade" USING btree ("school_id","student_id","term_id","assessment_id","score","is_excluded");--> statement-breakpoint
CREATE INDEX "history_of_row" ON "sync"."history" USING btree ("school_id","near_id","seq","row_id");--> statement-breakpoint
CREATE INDEX "history_of_feed" ON "sync"."history" USING btree ("school_id","seq");--> statement-breakpoint
CREATE INDEX "job_waiting" ON "reporting"."job" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "job_ended" ON "reporting"."job" USING btree ("ended_at");--> statement-breakpoint
CREATE UNIQUE INDEX "node_one_current" ON "sync"."node" USING btree ("kind") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "report_book_class_term" ON "reporting"."report_book" USING btree ("school_id","student_group_id","term_id","report_type");--> statement-breakpoint
CREATE INDEX "report_book_pdf_book" ON "reporting"."report_book_pdf" USING btree ("school_id","report_book_id");--> statement-breakpoint
CREATE INDEX "report_book_pdf_path" ON "reporting"."report_book_pdf" USING btree ("file_path");--> statement-breakpoint
CREATE UNIQUE INDEX "school_join_request_one_pending" ON "school_join_request" USING btree ("user_id","school_id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "school_join_request_user" ON "school_join_request" USING btree ("user_id","status");--> statement-breakpoint
CREATE INDEX "session_user" ON "session" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "session_expiry" ON "session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "student_by_name" ON "student"."student" USING btree ("school_id","sort_key","id");--> statement-breakpoint
CREATE INDEX "student_subject_class" ON "student"."student_subject" USING btree ("school_id","student_group_id");--> statement-breakpoint
CREATE INDEX "sync_conflict_row" ON "sync"."sync_conflict" USING btree ("school_id","entity","row_id");--> statement-breakpoint
CREATE INDEX "sync_conflict_open" ON "sync"."sync_conflict" USING btree ("school_id","status","hlc");--> statement-breakpoint
CREATE INDEX "sync_file_next" ON "sync"."sync_file" USING btree ("peer_id","next_at");--> statement-breakpoint
CREATE INDEX "sync_peer_school" ON "sync"."sync_peer" USING btree ("school_id");--> statement-breakpoint
CREATE INDEX "sync_refused_school" ON "sync"."sync_refused" USING btree ("school_id","refused_at");--> statement-breakpoint
CREATE INDEX "sync_row_feed" ON "sync"."sync_row" USING btree ("school_id","seq");--> statement-breakpoint
CREATE INDEX "sync_row_settled" ON "sync"."sync_row" USING btree ("school_id","table_name") WHERE settled;--> statement-breakpoint
CREATE INDEX "teacher_group_assignment_class" ON "staff"."teacher_group_assignment" USING btree ("school_id","student_group_id");--> statement-breakpoint
CREATE INDEX "teacher_subject_assignment_class" ON "staff"."teacher_subject_assignment" USING btree ("school_id","student_group_id");--> statement-breakpoint
CREATE INDEX "totp_enrolment_expiry" ON "totp_enrolment" USING btree ("expires_at");