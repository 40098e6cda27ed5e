import { vi } from "vitest";
import { QUERY_TIMEOUT_MS } from "#root/session-bridge/networks/baileys/socket/socket-config.ts";

const SHORT_MS = 400;

/**
 * Shortens the timeouts of later queries. Call it after the login, whose queries can take longer than this on a busy machine. Returns a
 * function that ends it.
 */
export function shortenQueryTimeouts(): () => void {
  const original = globalThis.setTimeout;
  const shortened = (act: () => void, ms?: number, ...rest: []) => original(act, ms === QUERY_TIMEOUT_MS ? SHORT_MS : ms, ...rest);
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(shortened as typeof setTimeout);
  return () => spy.mockRestore();
}
