// What is asked for more often than it can be done: once at a time, and once more behind it when it was asked for meanwhile.

export type Turns = { ask(): void; stop(): void };

/** `act` begins at the earliest `everyMs` after it was asked for. */
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
