/**
 * Reason of the crashes that tests cause. The test runtime prints every crash of an object as an uncaught exception, except those whose
 * reason begins like the one of its own resets.
 */
export const CRASH = "Instance dispose: crashed by a test";
