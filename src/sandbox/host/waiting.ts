// A slow start is reported rather than treated as a failure.
const REPORT_INTERVAL_MS = 15_000;
const LIMIT_MS = 600_000;

/** Prints every 15 seconds while the promise is pending, and rejects after 10 minutes. */
export async function waitingFor<T>(what: string, print: (text: string) => void, promise: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const limit = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= LIMIT_MS) limit.reject(new Error(`${what} did not come within ${LIMIT_MS / 60_000} minutes`));
    else print(`still starting: waiting for ${what} (${Math.round(waitedMs / 1_000)} s)`);
  }, REPORT_INTERVAL_MS);
  return Promise.race([promise, limit.promise]).finally(() => clearInterval(timer));
}
