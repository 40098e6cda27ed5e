ALTER TABLE `connection_state` ADD `state_kid` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX `connection_state_kid` ON `connection_state` (`state_kid`);