// The gateway's clock, from the `Date` of its answers. Expiry is computed with it, because the user's clock may be wrong.

/** How far the user's clock is ahead, in ms. `Date` has a resolution of one second. */
let aheadMs = 0;

/** Unix ms, by the gateway's clock. */
export function serverNow(): number {
  return Date.now() - aheadMs;
}

export function takeTime(date: string | null, askedAt: number): void {
  const told = Date.parse(date ?? "");
  if (!Number.isNaN(told)) aheadMs = clockError(aheadMs, { told, askedAt, answeredAt: Date.now() });
}

/** Keeps `known` if the answer is consistent with it, else takes the middle of the possible range. */
export function clockError(known: number, { told, askedAt, answeredAt }: { told: number; askedAt: number; answeredAt: number }): number {
  const [least, most] = [askedAt - told - 1_000, answeredAt - told];
  const fits = known >= least && known <= most;
  return fits ? known : (least + most) / 2;
}
