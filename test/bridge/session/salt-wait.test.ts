// The salt for first-message tokens: how long sends wait, and which salt is kept (docs/internals/sends.md, "Tokens for first messages").
import { proto, type BaileysEventMap } from "baileys";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readSaltFields } from "#root/session-bridge/networks/baileys/durability/salt-fields.ts";
import { knownSalt, saltOfHistory, saltOfSettings, waitForSalt } from "#root/session-bridge/networks/baileys/memory/nct-salt.ts";
import type { SessionContext } from "#root/session-bridge/networks/baileys/session/session-context.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a send waits a few seconds for the salt, and no longer once none has come for a minute", async () => {
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

/** A device that receives salts from app state and from history chunks. */
function device() {
  const rows = new Map<string, Buffer | string>();
  const ctx = {
    session: {},
    rows: { get: (key: string) => rows.get(key), put: (key: string, value: Buffer | string) => void rows.set(key, value) },
  } as unknown as SessionContext;
  readSaltFields();
  const inHistory = (salt: string) => {
    const bytes = Buffer.concat([Buffer.of(0x9a, 0x01, salt.length), Buffer.from(salt)]);
    const { pastParticipants } = proto.HistorySync.decode(bytes);
    saltOfHistory(ctx, { pastParticipants } as unknown as BaileysEventMap["messaging-history.set"]);
  };
  const inAppState = (salt: string) =>
    saltOfSettings(ctx, { setting: "locale", value: `nct-salt:${Buffer.from(salt).toString("base64")}` });
  return { inHistory, inAppState, salt: () => knownSalt(ctx)?.toString() };
}

it("a history chunk from before a salt change does not bring the old salt back", () => {
  const { inHistory, inAppState, salt } = device();
  inHistory("old");
  inAppState("old");
  inAppState("new");
  inHistory("old");
  expect(salt()).toBe("new");
});

it("an account whose salt is only in its history gets the latest one", () => {
  const { inHistory, salt } = device();
  inHistory("old");
  inHistory("new");
  expect(salt()).toBe("new");
});
