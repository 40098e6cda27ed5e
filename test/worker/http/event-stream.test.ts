// Lifetime and cleanup of server-sent event streams.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import type { Env } from "#root/src/env.ts";
import { eventStream, guardedStream, socketFeed, type StreamSource } from "#root/src/http/event-stream.ts";
import { MINUTE_MS } from "@gateway/protocol/units.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function opened(blockOf = (frame: string) => `data: ${frame}\n\n`) {
  const { 0: object, 1: ours } = new WebSocketPair();
  object.accept();
  const closed = new Promise<void>((resolve) => object.addEventListener("close", () => resolve()));
  const { 0: guard, 1: right } = new WebSocketPair();
  guard.accept();
  const { body } = eventStream(socketFeed(ours, blockOf), right, 5 * MINUTE_MS);
  return { object, guard, closed, body: body as ReadableStream<Uint8Array> };
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) text += piece;
  return text;
}

describe("a stream", () => {
  it("ends after five minutes, so that access is checked again, and leaves no timers", async () => {
    const { closed, body } = opened();
    const text = textOf(body);
    vi.advanceTimersByTime(5 * MINUTE_MS);
    expect(await text).toMatch(/^retry: 1000\n\n(: alive\n\n){14,15}$/);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends for a reader that has fallen behind", async () => {
    const { object, closed, body } = opened();
    object.send("x".repeat(600_000));
    object.send("y".repeat(600_000));
    await closed;
    expect(vi.getTimerCount()).toBe(0);
    expect(await textOf(body), "buffered frames can still be read").toMatch(/x\n\ndata: y+\n\n$/);
  });

  it("ends when access to it is revoked", async () => {
    const { guard, closed, body } = opened();
    const text = textOf(body);
    guard.close(1008, "no longer allowed");
    expect(await text).toBe("retry: 1000\n\n");
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends at a frame that cannot be rendered, which the log reports without its content", async () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
    const { object, closed, body } = opened((frame) => JSON.parse(frame) as string);
    const text = textOf(body);
    object.send("no JSON: secret text");
    expect(await text).toBe("retry: 1000\n\n");
    await closed;
    expect(lines.mock.calls).toEqual([[JSON.stringify({ event: "stream.failed", error: "SyntaxError" })]]);
    lines.mockRestore();
  });

  it("ends when its reader cancels", async () => {
    const { closed, body } = opened();
    await body.cancel();
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a stream that cannot begin leaves nothing open", () => {
  const broken = new Error("no database");

  /** Opens a stream on sockets of the object and of the account's guard; either may fail. Returns the sockets that were closed. */
  async function begun(change: Partial<StreamSource>, guard?: () => Promise<never>): Promise<[outcome: unknown, closed: string[]]> {
    const closed: string[] = [];
    const ends: Promise<void>[] = [];
    const pair = (name: string): WebSocket => {
      const { 0: theirs, 1: ours } = new WebSocketPair();
      theirs.accept();
      ends.push(new Promise((resolve) => theirs.addEventListener("close", () => resolve(void closed.push(name)))));
      return ours;
    };
    const fetch = guard ?? (async () => ({ webSocket: pair("right") }));
    const ACCOUNT_GUARD = { getByName: () => ({ fetch }) } as unknown as Env["ACCOUNT_GUARD"];
    const source: StreamSource = {
      right: { userId: "u", credential: "token", connections: ["c"] },
      expiresAt: null,
      open: async () => socketFeed(pair("object"), () => ""),
      stillAllowed: async () => true,
      ...change,
    };
    const outcome = await guardedStream({ ...env, ACCOUNT_GUARD } as Env, source).catch((error: unknown) => error);
    await Promise.all(ends);
    return [outcome, closed.toSorted()];
  }

  it("when the right to it cannot be looked up", async () => {
    expect(await begun({ stillAllowed: () => Promise.reject(broken) })).toEqual([broken, ["object", "right"]]);
  });

  it("when the right to it has ended", async () => {
    const refused = { ok: false, failure: { code: "unauthorized" } };
    expect(await begun({ stillAllowed: async () => false })).toEqual([refused, ["object", "right"]]);
  });

  it("when the object cannot be reached, or breaks", async () => {
    expect(await begun({ open: async () => null })).toEqual([{ ok: false, failure: { code: "unavailable" } }, ["right"]]);
    expect(await begun({ open: () => Promise.reject(broken) })).toEqual([broken, ["right"]]);
  });

  it("when the account's guard breaks", async () => {
    expect(await begun({}, () => Promise.reject(broken))).toEqual([broken, ["object"]]);
  });
});
