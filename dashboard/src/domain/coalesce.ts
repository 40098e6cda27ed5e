// Coalesces requests for an action. Only one run is active at a time, and requests during a run cause one more.

export type Coalesced = { request(): void; stop(): void };

/** Each run starts `delayMs` after the first request for it. */
export function coalesced(act: () => Promise<unknown>, delayMs: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isRequested = false;
  let isStopped = false;
  const run = async () => {
    timer = undefined;
    isRunning = true;
    isRequested = false;
    await act().catch(() => undefined);
    isRunning = false;
    if (isRequested) request();
  };
  const request = () => {
    if (isStopped) return;
    if (isRunning) isRequested = true;
    else timer ??= setTimeout(() => void run(), delayMs);
  };
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { request, stop };
}
