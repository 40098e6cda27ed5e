// Files from customers, by content or URL: which are accepted, which are refused, and the resulting R2 objects.
import { Buffer } from "node:buffer";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Env } from "#root/src/env.ts";
import { FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { mediaLink } from "@gateway/domain/media/media-link.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { type GivenFile, storeGivenFile, type FileStorage } from "#root/src/services/media/given-file.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const bucket = (env as Env).MEDIA;
const APP = "https://app.example.com";
const NOW = 1_800_000_000_000;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const MB = 1024 * 1024;
const WEEK_MS = 7 * DAY_MS;

type Page = Response | ((init: RequestInit) => Response | Promise<Response>);

/** An internet with only these pages; everything else is unreachable. */
function world(pages: Record<string, Page> = {}, loopback = false): FileStorage & { requested: string[] } {
  const requested: string[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    requested.push(url);
    expect(init).toMatchObject({ redirect: "manual" });
    expect(new Headers(init.headers).has("authorization")).toBe(false);
    expect(new Headers(init.headers).get("user-agent")).toBe("Service-Files/1.0");
    const page = pages[url];
    if (page === undefined) throw new Error("no such host");
    return typeof page === "function" ? page(init) : page;
  };
  return {
    bucket,
    appUrl: APP,
    connection: crypto.randomUUID(),
    retentionMs: WEEK_MS,
    requested,
    isRemoved: async () => false,
    outside: { policy: { own: [APP], loopback }, fetch },
  };
}

const given = (source: GivenFile["source"], more: Partial<GivenFile> = {}): GivenFile => ({
  source,
  mimetype: null,
  filename: null,
  rule: FILE_RULES.image,
  ...more,
});
const byUrl = (url: string, more: Partial<GivenFile> = {}) => given({ url }, more);
const CYCLE = Uint8Array.from({ length: 251 }, (_, index) => index);
/** Starts like a PNG and repeats a pattern, to create megabytes quickly. */
const sized = (bytes: number) => {
  const all = new Uint8Array(bytes);
  all.set(CYCLE.subarray(0, bytes));
  for (let filled = CYCLE.length; filled < bytes; filled *= 2) all.copyWithin(filled, 0, filled);
  all.set(PNG.subarray(0, bytes));
  return all;
};
const png = (bytes = 1_000) => new Response(sized(bytes), { headers: { "content-type": "image/png" } });
const to = (location: string, status = 302) => new Response(null, { status, headers: { location } });
/** A chunked body without a Content-Length. */
const streamed = (total: number, pieceBytes = 300_000, onCancel: () => void = () => undefined) => {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= total) return controller.close();
      const piece = sent === 0 ? sized(Math.min(pieceBytes, total)) : new Uint8Array(Math.min(pieceBytes, total - sent)).fill(7);
      sent += piece.length;
      controller.enqueue(piece);
    },
    cancel: onCancel,
  });
};

async function stored(
  token: string,
): Promise<{ bytes: Buffer; mimetype: string; filename: string | null; connection: string; expiresAt: number }> {
  const media = await openMedia(bucket, token, NOW);
  if (media === null) throw new Error("not stored");
  const { mimetype, filename, connection, expiresAt } = media;
  return { bytes: Buffer.from(await new Response(media.body).arrayBuffer()), mimetype, filename, connection, expiresAt };
}
/** The bucket, reporting the size of each stored part. */
const countingBucket = (stored: (bytes: number) => void): R2Bucket =>
  ({
    createMultipartUpload: async (...args: Parameters<R2Bucket["createMultipartUpload"]>) => {
      const upload = await bucket.createMultipartUpload(...args);
      return {
        uploadPart: async (number: number, bytes: Uint8Array) => {
          const part = await upload.uploadPart(number, bytes);
          stored(bytes.length);
          return part;
        },
        complete: (parts: R2UploadedPart[]) => upload.complete(parts),
        abort: () => upload.abort(),
      };
    },
  }) as unknown as R2Bucket;
const count = async () => (await bucket.list()).objects.length;

async function refusal(storage: FileStorage, file: GivenFile): Promise<string> {
  const before = await count();
  const taken = await storeGivenFile(storage, file, NOW);
  expect(await count(), "nothing is left behind").toBe(before);
  return taken.ok ? "taken" : JSON.stringify(taken.failure);
}
const unreachable = (reason: string, status?: number) =>
  JSON.stringify({ code: "media_unreachable", details: status === undefined ? { reason } : { reason, status } });
/** Forbidden and unresponsive addresses give the same error. */
const NOT_REACHABLE = unreachable("not_reachable");
const TOO_LARGE = '{"code":"media_too_large"}';

describe("a file given by its content", () => {
  it("is stored under its own token, for seven days", async () => {
    const storage = world();
    const bytes = [PNG, Buffer.from("rest")];
    const taken = await storeGivenFile(storage, given({ bytes }, { filename: "a ç.png", mimetype: "image/jpeg" }), NOW);
    if (!taken.ok) throw new Error(taken.failure.code);
    expect(taken.value).toMatchObject({ mimetype: "image/png", filename: "a ç.png", size: 20 });
    expect(await stored(taken.value.token)).toEqual({
      bytes: Buffer.concat(bytes),
      mimetype: "image/png",
      filename: "a ç.png",
      connection: storage.connection,
      expiresAt: NOW + 7 * DAY_MS,
    });
  });

  it("must be of the kind that is sent, and no larger than its rule says", async () => {
    const text = { bytes: [Buffer.from("no picture")] };
    expect(JSON.parse(await refusal(world(), given(text, { mimetype: "image/png" })))).toMatchObject({
      code: "media_invalid",
      details: { reason: "wrong_format", expected: "image/jpeg, image/png, image/webp", found: "unknown" },
    });
    const picture = { bytes: [PNG, new Uint8Array(5 * MB)] };
    expect(JSON.parse(await refusal(world(), given(picture, { rule: FILE_RULES.picture })))).toMatchObject({
      code: "media_invalid",
      details: { reason: "too_large", limit_bytes: 5 * MB },
    });
  });
});

describe("a file given by url", () => {
  it.each([1, 512, 100_000, 8 * MB, 8 * MB + 1, 17 * MB])(
    "is stored unchanged if it has %d bytes, with or without a content-length",
    async (size) => {
      for (const body of [sized(size), streamed(size)]) {
        const storage = world({ "https://files.net/a": () => new Response(body, { headers: { "content-type": "application/x-thing" } }) });
        const taken = await storeGivenFile(storage, byUrl("https://files.net/a", { rule: FILE_RULES.document, filename: "a.bin" }), NOW);
        if (!taken.ok) throw new Error(taken.failure.code);
        expect(taken.value).toMatchObject({ mimetype: "application/x-thing", filename: "a.bin", size });
        const { bytes } = await stored(taken.value.token);
        expect(bytes.length).toBe(size);
        expect(bytes.subarray(0, 16).equals(Buffer.from(sized(size)).subarray(0, 16))).toBe(true);
      }
    },
  );

  it("may be at most 50 MB, with or without a content-length", async () => {
    const most = 50 * MB;
    const at = (response: Page) => world({ "https://files.net/a": response });
    const file = byUrl("https://files.net/a");
    const whole = await storeGivenFile(
      at(() => new Response(streamed(most, MB))),
      file,
      NOW,
    );
    expect(whole).toMatchObject({ ok: true, value: { size: most } });
    let read = 0;
    const declared = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            read += 1;
            controller.enqueue(sized(MB));
          },
        }),
        { headers: { "content-length": String(most + 1) } },
      );
    expect(await refusal(at(declared), file)).toBe(TOO_LARGE);
    expect(read, "it is not read when its length is declared").toBeLessThan(5);
    const cancelled = vi.fn<() => void>();
    expect(
      await refusal(
        at(() => new Response(streamed(most + 1, MB, cancelled))),
        file,
      ),
    ).toBe(TOO_LARGE);
    expect(
      await refusal(
        at(() => new Response(streamed(60 * MB, MB, cancelled))),
        file,
      ),
    ).toBe(TOO_LARGE);
    expect(cancelled).toHaveBeenCalled();
  });

  it.each([true, false])("is never held for more than a part and what is read ahead (content-length: %s)", async (isSized) => {
    const [size, piece] = [50 * MB, MB];
    let [sent, kept, most] = [0, 0, 0];
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (sent === size) return controller.close();
          sent += piece;
          most = Math.max(most, sent - kept);
          controller.enqueue(sized(piece));
        },
      },
      { highWaterMark: 0 },
    );
    const response = new Response(body, isSized ? { headers: { "content-length": String(size) } } : {});
    const storage = world({ "https://files.net/a": response });
    const counting = countingBucket((bytes) => (kept += bytes));
    expect((await storeGivenFile({ ...storage, bucket: counting }, byUrl("https://files.net/a"), NOW)).ok).toBe(true);
    expect([sent, kept]).toEqual([size, size]);
    expect(most).toBeLessThanOrEqual(8 * MB + 2 * piece);
  });

  it("is followed over three redirects, each checked again", async () => {
    const chain = (length: number): Record<string, Page> => ({
      ...Object.fromEntries(
        Array.from({ length }, (_, hop) => [`https://files.net/${hop}`, () => to(`/${hop + 1}`, [301, 302, 303, 307, 308][hop % 5])]),
      ),
      [`https://files.net/${length}`]: () => png(),
    });
    const three = world(chain(3));
    expect((await storeGivenFile(three, byUrl("https://files.net/0"), NOW)).ok).toBe(true);
    expect(three.requested).toEqual(["https://files.net/0", "https://files.net/1", "https://files.net/2", "https://files.net/3"]);
    expect(await refusal(world(chain(4)), byUrl("https://files.net/0"))).toBe(unreachable("too_many_redirects"));
  });

  it.each([
    "http://files.net/a",
    "https://127.0.0.1/a",
    "https://[::1]/a",
    "https://10.0.0.1/a",
    "https://169.254.169.254/latest/meta-data",
    "https://metadata.internal/a",
    "https://localhost/a",
    "https://user:pass@files.net/a",
    "https://app.example.com/api/health",
    "ftp://files.net/a",
    "file:///etc/passwd",
    "data:image/png;base64,iVBORw0KGgo=",
    "https://files.net\\@10.0.0.1/",
    "nonsense",
  ])("is not requested at %s, nor by a redirect there", async (bad) => {
    const direct = world({ [bad]: () => png() });
    expect(await refusal(direct, byUrl(bad))).toBe(NOT_REACHABLE);
    expect(direct.requested).toEqual([]);
    const redirected = world({ "https://files.net/a": () => to(bad), [bad]: () => png() });
    expect(await refusal(redirected, byUrl("https://files.net/a"))).toBe(NOT_REACHABLE);
    expect(redirected.requested.filter((url) => !url.startsWith("https://files.net/"))).toEqual([]);
  });

  it("may lie on this machine in a loose sandbox only", async () => {
    const url = "http://127.0.0.1:9999/a";
    expect((await storeGivenFile(world({ [url]: () => png() }, true), byUrl(url), NOW)).ok).toBe(true);
    expect(await refusal(world({ [url]: () => png() }, false), byUrl(url))).toBe(NOT_REACHABLE);
  });

  it.each<[string, string, Page]>([
    [
      "the host is not there",
      NOT_REACHABLE,
      () => {
        throw new Error("refused");
      },
    ],
    [
      "its name leads nowhere",
      unreachable("dns"),
      () => {
        throw new Error("DNS lookup failed.");
      },
    ],
    ["its name leads nowhere on the platform", unreachable("dns"), () => new Response("error code: 1016", { status: 530 })],
    ["it is not found", unreachable("http_status", 404), () => new Response("no", { status: 404 })],
    ["the server fails", unreachable("http_status", 500), () => new Response("no", { status: 500 })],
    ["a redirect leads nowhere", unreachable("http_status", 302), () => new Response(null, { status: 302 })],
    ["there is nothing", unreachable("http_status", 204), () => new Response(null, { status: 204 })],
    [
      "it breaks off",
      unreachable("interrupted"),
      () =>
        new Response(
          new ReadableStream({
            start: (c) => {
              c.enqueue(sized(100));
              c.error(new Error("broken"));
            },
          }),
        ),
    ],
    [
      "it breaks off after a part",
      unreachable("interrupted"),
      () => {
        let n = 0;
        return new Response(
          new ReadableStream({
            pull: (c) => {
              n += 1;
              if (n > 10) c.error(new Error("broken"));
              else c.enqueue(sized(MB));
            },
          }),
        );
      },
    ],
  ])("is unreachable, with its reason, when %s", async (_why, failure, page) => {
    expect(await refusal(world({ "https://files.net/a": page }), byUrl("https://files.net/a"))).toBe(failure);
  });

  it("must not be empty, and must fit its kind", async () => {
    const storage = (body: BodyInit) =>
      world({ "https://files.net/a": () => new Response(body, { headers: { "content-type": "image/png" } }) });
    expect(JSON.parse(await refusal(storage(new Uint8Array(0)), byUrl("https://files.net/a")))).toMatchObject({
      code: "media_invalid",
      details: { reason: "empty" },
    });
    expect(JSON.parse(await refusal(storage("<html>"), byUrl("https://files.net/a")))).toMatchObject({ code: "media_invalid" });
  });

  it("times out after thirty seconds, body included", async () => {
    const clock = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      expect(ms).toBe(30_000);
      return clock.signal;
    });
    let pulled = 0;
    // Each read waits, so the timeout expires before the body ends.
    const pull = (controller: ReadableStreamDefaultController) => {
      pulled += 1;
      if (pulled === 1) return controller.enqueue(sized(100));
      clock.abort(new Error("time is up"));
      return new Promise<void>(() => {});
    };
    const stuck = () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    expect(await refusal(world({ "https://files.net/a": stuck }), byUrl("https://files.net/a"))).toBe(unreachable("timeout"));
    timeout.mockRestore();
  });

  it("is copied without a request if its link is ours", async () => {
    const storage = world();
    const first = await storeGivenFile(storage, given({ bytes: [PNG] }), NOW);
    if (!first.ok) throw new Error(first.failure.code);
    const link = mediaLink(APP, first.value.token, "image/png");
    const again = await storeGivenFile({ ...storage, connection: crypto.randomUUID() }, byUrl(link), NOW);
    if (!again.ok) throw new Error(again.failure.code);
    expect(again.value.token).not.toBe(first.value.token);
    expect((await stored(again.value.token)).bytes.equals(PNG)).toBe(true);
    expect(storage.requested).toEqual([]);
    const gone = mediaLink(APP, `zzzz${"0".repeat(32)}`, "image/png");
    expect(await refusal(storage, byUrl(gone))).toBe(unreachable("http_status", 404));
  });
});
