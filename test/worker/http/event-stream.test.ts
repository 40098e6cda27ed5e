// How long a stream of server-sent events lives, and what is left of it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventStream } from "../../../src/http/event-stream.ts";
import { MINUTE_MS } from "../../../src/protocol/units.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function opened() {
  const { 0: object, 1: ours } = new WebSocketPair();
  object.accept();
  const closed = new Promise<void>((resolve) => object.addEventListener("close", () => resolve()));
  const { 0: guard, 1: right } = new WebSocketPair();
  guard.accept();
  const { body } = eventStream(ours, right, 5 * MINUTE_MS, (frame) => `data: ${frame}\n\n`);
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
    expect(await textOf(body), "what was taken in is still there to be read").toMatch(/x\n\ndata: y+\n\n$/);
  });

  it("ends when the right to it ends", async () => {
    const { guard, closed, body } = opened();
    const text = textOf(body);
    guard.close(1008, "no longer allowed");
    expect(await text).toBe("retry: 1000\n\n");
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends when its reader cancels", async () => {
    const { closed, body } = opened();
    await body.cancel();
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
