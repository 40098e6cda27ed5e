// The gateway's clock, from the `Date` header of its responses. Expiry is computed with it, because the user's clock may be wrong.

/** How far the user's clock is ahead, in ms. `Date` has a resolution of one second. */
let aheadMs = 0;

export function serverNow(): number {
  return Date.now() - aheadMs;
}

export function recordServerTime(date: string | null, askedAt: number): void {
  const serverDate = Date.parse(date ?? "");
  if (!Number.isNaN(serverDate)) aheadMs = clockError(aheadMs, { serverDate, askedAt, answeredAt: Date.now() });
}

/** Keeps `known` if the response is consistent with it. Otherwise, uses the middle of the possible range. */
export function clockError(
  known: number,
  { serverDate, askedAt, answeredAt }: { serverDate: number; askedAt: number; answeredAt: number },
): number {
  const [least, most] = [askedAt - serverDate - 1_000, answeredAt - serverDate];
  const fits = known >= least && known <= most;
  return fits ? known : (least + most) / 2;
}
