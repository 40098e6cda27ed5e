// Stalled bodies, and how much of an unwanted body is read.
import { afterEach, describe, expect, it, vi } from "vitest";
import { DISCARD_OF_BLOCKED, IncomingBody } from "#root/src/http/body/incoming-body.ts";

/** A request whose client sends `bytes` and then nothing more. */
function silentAfter(bytes: number, headers: Record<string, string> = {}): IncomingBody {
  const body = new ReadableStream({
    type: "bytes",
    start(controller) {
      if (bytes > 0) controller.enqueue(new Uint8Array(bytes));
    },
  });
  return new IncomingBody(new Request("https://gateway.test/", { method: "POST", body, headers }));
}

async function all(body: IncomingBody): Promise<{ bytes: number; end: unknown }> {
  for (let bytes = 0; ;) {
    const chunk = await body.next();
    if (chunk === null || typeof chunk === "string") return { bytes, end: chunk };
    bytes += chunk.length;
  }
}

afterEach(() => vi.useRealTimers());

describe("a stalled body", () => {
  it.each([0, 10, 64 * 1024])("ends after 15 seconds of silence, after %i bytes", async (bytes) => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const reading = all(silentAfter(bytes));
    const ended = vi.fn();
    void reading.then(ended);
    await vi.advanceTimersByTimeAsync(14_000);
    expect(ended).not.toHaveBeenCalled();
    // Adds the time allowed for the bytes already received.
    await vi.advanceTimersByTimeAsync(2_000 + bytes / 16);
    expect(await reading).toEqual({ bytes, end: "broken" });
  });

  it("does not delay the decision whether it is long", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const asking = silentAfter(10).isLongerThan(64 * 1024);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(await asking).toBe(false);
  });
});

describe("a body of a blocked address", () => {
  it("is read up to a megabyte, for up to a second", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const cancelled = vi.fn();
    let sent = 0;
    const endless = new ReadableStream({
      type: "bytes",
      pull(controller) {
        sent += 16_384;
        controller.enqueue(new Uint8Array(16_384));
      },
      cancel: cancelled,
    });
    const discarding = new IncomingBody(new Request("https://gateway.test/", { method: "POST", body: endless })).discard(
      DISCARD_OF_BLOCKED,
    );
    await discarding;
    expect(cancelled).toHaveBeenCalled();
    expect([sent > 1_000_000, sent < 1_300_000]).toEqual([true, true]);
    const silent = silentAfter(10).discard(DISCARD_OF_BLOCKED);
    await vi.advanceTimersByTimeAsync(1_000);
    await silent;
  });
});
