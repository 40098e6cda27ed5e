// How long first messages wait for the salt that their tokens are made of (docs/durability.md, "Sends").
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { waitForSalt } from "../../../session-bridge/networks/baileys/memory/nct-salt.ts";
import type { SessionContext } from "../../../session-bridge/networks/baileys/session/session-context.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is a few seconds, and nothing any more when none has come for a minute", async () => {
  const ctx = { session: {}, rows: { get: () => undefined }, now: () => Date.now() } as unknown as SessionContext;
  let waited = 0;
  const wait = (): void => void waitForSalt(ctx).then(() => (waited += 1));
  wait();
  await vi.advanceTimersByTimeAsync(3_900);
  expect(waited).toBe(0);
  await vi.advanceTimersByTimeAsync(100);
  expect(waited).toBe(1);
  await vi.advanceTimersByTimeAsync(56_000);
  wait();
  await vi.advanceTimersByTimeAsync(0);
  expect(waited).toBe(2);
});
