// File uploads to Meta, with a Graph controlled by the test.
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { createGraph, type Transport } from "#root/durable-objects/connection/cloud/graph.ts";
import { CloudUploads } from "#root/durable-objects/connection/cloud/files/uploads.ts";
import type { Env } from "#root/src/env.ts";
import type { MediaRef } from "@gateway/protocol/content.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const bucket = (env as Env).MEDIA;
const BASE = "https://graph.example/v23.0";

async function keep(bytes: Uint8Array, mimetype = "image/png"): Promise<MediaRef> {
  const media = { connection: crypto.randomUUID(), mimetype, filename: null, sizeBytes: bytes.length, expiresAt: Date.now() + DAY_MS };
  const token = await storeMedia(bucket, media, new Response(bytes).body!);
  return { token: token ?? "", mimetype, filename: null, size: bytes.length };
}

function uploadsBy(transport: Transport): CloudUploads {
  const credentials = () => ({ phoneNumberId: "55", appId: "77", accessToken: "EAA", appSecret: "s" });
  return new CloudUploads({
    bucket,
    graph: createGraph({ baseUrl: "https://graph.example", version: "v23.0", credentials, transport, connection: "c" }),
    credentials,
    doubt: () => undefined,
  });
}

type Asked = { method: string; url: URL; headers: Headers; body: Uint8Array };

/** Responds in sequence and repeats the last response. A null response breaks the connection once the body has been read. */
function answering(...answers: (object | null | ((asked: Asked) => object))[]) {
  const asked: Asked[] = [];
  const transport: Transport = async (url, init) => {
    const body = await new Response(init.body).bytes();
    const one = { method: init.method ?? "", url: new URL(url), headers: new Headers(init.headers), body };
    asked.push(one);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer === null || answer === undefined) throw new Error("connection lost");
    const json = typeof answer === "function" ? answer(one) : answer;
    return Response.json(json, { status: "error" in json ? 400 : 200 });
  };
  return { asked, transport };
}

const refusal = (code: number) => ({ error: { message: "no", type: "OAuthException", code } });
const bytes = (length: number) => new Uint8Array(length).map((_, at) => at % 251);

it("a file is sent as a form with a known length, its type and its exact bytes", async () => {
  const ref = await keep(bytes(300_000));
  const { asked, transport } = answering({ id: "9001" });
  expect(await uploadsBy(transport).upload(ref, "image")).toEqual({ ok: true, value: "9001" });
  const [only] = asked;
  expect([asked.length, only!.method, only!.url.origin + only!.url.pathname]).toEqual([1, "POST", `${BASE}/55/media`]);
  expect(only!.headers.get("authorization")).toBe("Bearer EAA");
  const form = await new Response(only!.body, { headers: { "content-type": only!.headers.get("content-type")! } }).formData();
  const file = form.get("file") as unknown as File;
  expect([form.get("messaging_product"), form.get("type"), file.type, file.name]).toEqual([
    "whatsapp",
    "image/png",
    "image/png",
    "file.png",
  ]);
  expect(await file.bytes()).toEqual(bytes(300_000));
});

it("a customer's text for a type never becomes a header of the form", async () => {
  const ref = await keep(bytes(3), 'text/plain\r\nX-Other: 1"');
  const { asked, transport } = answering({ id: "1" });
  await uploadsBy(transport).upload(ref, "document");
  const text = new TextDecoder().decode(asked[0]!.body);
  expect(text).not.toContain("X-Other");
  expect(text).toContain("Content-Type: application/octet-stream\r\n");
});

it("a broken upload restarts at its first byte, at most twice", async () => {
  const ref = await keep(bytes(70_000));
  const once = answering(null, { id: "5" });
  expect(await uploadsBy(once.transport).upload(ref, "image")).toEqual({ ok: true, value: "5" });
  expect(once.asked.map(({ body }) => body.length).reduce((first, second) => first - second)).toBe(0);
  const never = answering(null);
  expect(await uploadsBy(never.transport).upload(ref, "image")).toMatchObject({ ok: false, failure: { code: "unavailable" } });
  expect(never.asked.length).toBe(3);
});

it("Graph's own failure is retried, its refusal is not", async () => {
  const ref = await keep(bytes(3));
  const passing = answering(refusal(2), { id: "5" });
  expect(await uploadsBy(passing.transport).upload(ref, "image")).toMatchObject({ ok: true });
  const refused = answering(refusal(131_053));
  expect(await uploadsBy(refused.transport).upload(ref, "image")).toMatchObject({
    failure: { code: "media_invalid", details: { network_code: 131_053 } },
  });
  expect(refused.asked.length).toBe(1);
});

/** The first bytes of an animated or still WebP image. */
function webp(length: number, animated: boolean): Uint8Array {
  const head = [..."RIFF", 0, 0, 0, 0, ..."WEBPVP8X", 10, 0, 0, 0, animated ? 2 : 0];
  const image = new Uint8Array(length);
  image.set(head.map((part) => (typeof part === "string" ? part.charCodeAt(0) : part)));
  return image;
}

it.each([
  ["image", "image/png", 5 * 1024 * 1024],
  ["sticker", "image/webp", 500 * 1024],
] as const)("%s with a byte too many is refused before any request", async (as, mimetype, limit) => {
  const { asked, transport } = answering({ id: "5" });
  const ref = { token: "t", mimetype, filename: null, size: limit + 1 };
  expect(await uploadsBy(transport).upload(ref, as)).toMatchObject({ failure: { code: "limit_of_kind", details: { limit_bytes: limit } } });
  expect(await uploadsBy(transport).upload({ ...ref, mimetype: "image/gif" }, as)).toMatchObject({ failure: { code: "media_invalid" } });
  expect(asked).toEqual([]);
});

it("a still sticker may be smaller than an animated one only", async () => {
  const { asked, transport } = answering({ id: "5" });
  const send = async (length: number, animated: boolean) =>
    uploadsBy(transport).upload(await keep(webp(length, animated), "image/webp"), "sticker");
  const limit = 100 * 1024;
  expect(await send(limit + 1, false)).toMatchObject({ failure: { code: "limit_of_kind", details: { limit_bytes: limit } } });
  expect(asked).toEqual([]);
  expect(await send(limit, false)).toMatchObject({ ok: true });
  expect(await send(limit + 1, true)).toMatchObject({ ok: true });
});

it("a deleted file is not requested", async () => {
  const { asked, transport } = answering({ id: "5" });
  const gone = { token: `0000${"0".repeat(48)}`, mimetype: "image/png", filename: null, size: 3 };
  expect(await uploadsBy(transport).upload(gone, "image")).toMatchObject({ failure: { code: "media_expired" } });
  expect(asked).toEqual([]);
});

it("two uploads run at once, and the third waits", async () => {
  const refs = await Promise.all([1, 2, 3].map(() => keep(bytes(3))));
  const gates: (() => void)[] = [];
  let [running, most] = [0, 0];
  const uploads = uploadsBy(async (_url, init) => {
    await new Response(init.body).bytes();
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => gates.push(resolve));
    running -= 1;
    return Response.json({ id: "1" });
  });
  const all = Promise.all(refs.map((ref) => uploads.upload(ref, "image")));
  for (let done = 0; done < 3; done++) {
    await vi.waitFor(() => expect(gates.length).toBeGreaterThan(done));
    gates[done]!();
  }
  expect((await all).every(({ ok }) => ok)).toBe(true);
  expect(most).toBe(2);
});

it("two uploads that Graph never answers block others for at most five seconds", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  const refs = await Promise.all([1, 2, 3].map(() => keep(bytes(3))));
  let asked = 0;
  const uploads = uploadsBy(async (_url, init) => {
    await new Response(init.body).bytes();
    asked += 1;
    return asked <= 2 ? new Promise<Response>(() => undefined) : Response.json({ id: "3" });
  });
  for (const ref of refs.slice(0, 2)) void uploads.upload(ref, "image");
  await vi.waitFor(() => expect(asked).toBe(1));
  // The interval at 25 requests per second.
  await vi.advanceTimersByTimeAsync(40);
  await vi.waitFor(() => expect(asked).toBe(2));
  const third = uploads.upload(refs[2]!, "image");
  vi.advanceTimersByTime(4_959);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(await third).toEqual({ ok: true, value: "3" });
  vi.useRealTimers();
});

it("the number's picture is a handle of an upload session, which resumes after a failure", async () => {
  const picture = bytes(1_000);
  const ref = await keep(picture, "image/jpeg");
  const parts: Uint8Array[] = [];
  const { asked, transport } = answering(
    { id: "upload:MTph?sig=ARZ" },
    ({ body }) => {
      parts.push(body.slice(0, 400));
      throw new Error("broken");
    },
    { id: "upload:MTph", file_offset: 400 },
    ({ body }) => {
      parts.push(body);
      return { h: "4::aW1hZ2U" };
    },
  );
  expect(await uploadsBy(transport).uploadHandle(ref)).toEqual({ ok: true, value: "4::aW1hZ2U" });
  expect(Object.fromEntries(asked[0]!.url.searchParams)).toMatchObject({ file_length: "1000", file_type: "image/jpeg" });
  expect(asked.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    "POST /v23.0/77/uploads",
    "POST /v23.0/upload:MTph",
    "GET /v23.0/upload:MTph",
    "POST /v23.0/upload:MTph",
  ]);
  expect(
    asked.slice(1).map(({ url, headers }) => [headers.get("authorization"), headers.get("file_offset"), url.searchParams.get("sig")]),
  ).toEqual([
    ["OAuth EAA", "0", "ARZ"],
    ["OAuth EAA", null, "ARZ"],
    ["OAuth EAA", "400", "ARZ"],
  ]);
  expect(Buffer.concat(parts)).toEqual(Buffer.from(picture));
});
