ALTER TABLE `history` ADD `source_id` text;--> statement-breakpoint
ALTER TABLE `sync_refused` ADD `peer_id` text;