CREATE TABLE `directory_round` (
	`one` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`through` integer NOT NULL
);
