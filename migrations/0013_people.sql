ALTER TABLE `share` ADD `opened_at` integer;--> statement-breakpoint
ALTER TABLE `session` ADD `issuer` text;