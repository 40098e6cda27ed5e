CREATE TABLE `share_invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`connection_id` integer NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `connection`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_invitation_address` ON `share_invitation` (`connection_id`,`email`);--> statement-breakpoint
CREATE INDEX `share_invitation_email` ON `share_invitation` (`email`);--> statement-breakpoint
INSERT INTO `share_invitation` (`id`, `connection_id`, `email`, `role`, `created_at`)
SELECT lower(hex(randomblob(16))), `share`.`connection_id`, `user`.`email`, `share`.`role`, `share`.`created_at`
FROM `share` INNER JOIN `user` ON `user`.`id` = `share`.`user_id`;
