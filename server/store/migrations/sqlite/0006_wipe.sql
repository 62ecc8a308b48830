ALTER TABLE `sync_peer` ADD `wipe_asked_at` text;--> statement-breakpoint
ALTER TABLE `sync_peer` ADD `wiped_at` text;