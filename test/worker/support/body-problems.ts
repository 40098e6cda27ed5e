/** Problems with webhook bodies since the last test. Separate from the checks, so that tests load those only if needed. */
export const BODY_PROBLEMS: string[] = [];
