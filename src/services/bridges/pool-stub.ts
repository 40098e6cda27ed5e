// The typed stub of the bridge pool's object: one per region, and this deployment has one region.
import type { Env } from "../../env.ts";

export type BridgePoolStub = {
  /** The upgrade of a bridge's control socket. */
  fetch(request: Request): Promise<Response>;
  /** Requests a bridge for a session, which dials the connection's object with the ticket. `queued`: none has room yet. */
  place(request: { connection: string; generation: number; ticket: string }): Promise<{ queued: boolean }>;
  /** Releases all sessions of a connection below this generation. */
  release(ended: { connection: string; below: number }): Promise<void>;
  /** The connected bridges. */
  list(): Promise<{ bridges: { connected: boolean; draining: boolean }[] }>;
  /** Starts bridges where too few are running; wakes the pool, which then runs overdue work. */
  keepBridges(): Promise<void>;
};

const POOL = "default";

export function bridgePoolStub(env: Pick<Env, "BRIDGE_POOL">): BridgePoolStub {
  return env.BRIDGE_POOL.getByName(POOL) as unknown as BridgePoolStub;
}
