CREATE TABLE "server_instance" (
	"id" uuid NOT NULL,
	"place" text COLLATE "C" NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_instance_id_pk" PRIMARY KEY("id")
);
