/**
 * When a fact happened, in Unix ms. The network tells whole seconds: within that second it is as late as we heard of it, so that of
 * two things of one second the later one sorts behind the other (interface, Surface B delivery rules 2: "Sort by `created_at`").
 */
export function eventTimeMs(timestamp: number, receivedAt: number): number {
  const first = timestamp * 1_000;
  return Math.min(Math.max(first, receivedAt), first + 999);
}
