// The gateway's time, from its answers: what runs out there runs out by its clock, however wrong the reader's is.

/** How far the reader's clock is ahead, in ms; as good as the `Date` of an answer, which has whole seconds. */
let aheadMs = 0;

/** Unix ms, by the gateway's clock. */
export function serverNow(): number {
  return Date.now() - aheadMs;
}

export function takeTime(date: string | null, askedAt: number): void {
  const told = Date.parse(date ?? "");
  if (!Number.isNaN(told)) aheadMs = clockError(aheadMs, { told, askedAt, answeredAt: Date.now() });
}

/** `known`, as long as an answer does not speak against it; else the middle of what it says. */
export function clockError(known: number, { told, askedAt, answeredAt }: { told: number; askedAt: number; answeredAt: number }): number {
  const [least, most] = [askedAt - told - 1_000, answeredAt - told];
  const fits = known >= least && known <= most;
  return fits ? known : (least + most) / 2;
}
