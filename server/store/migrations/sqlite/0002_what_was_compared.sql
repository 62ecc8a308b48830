ALTER TABLE `sync_peer` ADD `compared_at` text;--> statement-breakpoint
ALTER TABLE `sync_peer` ADD `difference` text;