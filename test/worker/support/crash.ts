/**
 * Reason for crashes caused by tests. The test runtime prints every object crash as an uncaught exception, unless its reason has the same
 * prefix as the runtime's own resets.
 */
export const CRASH = "Instance dispose: crashed by a test";
