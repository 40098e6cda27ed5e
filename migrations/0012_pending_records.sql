ALTER TABLE `connection` ADD `pending_revision` integer;--> statement-breakpoint
CREATE INDEX `connection_pending` ON `connection` (`pending_revision`) WHERE pending_revision IS NOT NULL;