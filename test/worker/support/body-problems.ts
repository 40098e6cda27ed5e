/** What was wrong with webhook bodies since the last test ended. Apart from the checks, so that no test loads them without need. */
export const BODY_PROBLEMS: string[] = [];
