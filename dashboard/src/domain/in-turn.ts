// Coalesces requests for an action: one run at a time, and one more if it was requested meanwhile.

export type Turns = { ask(): void; stop(): void };

/** Each run starts `delayMs` after its first request. */
export function inTurn(act: () => Promise<unknown>, everyMs: number): Turns {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isActing = false;
  let isWanted = false;
  let isStopped = false;
  const run = async () => {
    timer = undefined;
    isActing = true;
    isWanted = false;
    await act().catch(() => undefined);
    isActing = false;
    if (isWanted) ask();
  };
  const ask = () => {
    if (isStopped) return;
    if (isActing) isWanted = true;
    else timer ??= setTimeout(() => void run(), everyMs);
  };
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { ask, stop };
}
