ALTER TABLE `account_key` ADD `allowed_ips` text;--> statement-breakpoint
ALTER TABLE `account_key` ADD `refused_ip` text;--> statement-breakpoint
ALTER TABLE `account_key` ADD `refused_at` integer;