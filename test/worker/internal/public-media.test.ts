// `/api/midia/<token>.<ext>`: public to holders of the token until it expires, and served safely.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { mediaDayPrefix } from "@gateway/domain/media/media-link.ts";
import { purgeMedia } from "#root/src/services/media/purge.ts";
import { storeMedia } from "#root/src/services/media/store.ts";
import { HOSTILE_TYPES } from "../../support/strangers/types.ts";
import { TestConnection } from "../fakes/connection.ts";
import { gateway } from "../support/gateway.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const ask = gateway();
const connection = await TestConnection.create();

async function stored(options: { mimetype?: string; filename?: string | null; expiresAt?: number; text?: string } = {}): Promise<string> {
  const bytes = new TextEncoder().encode(options.text ?? "0123456789");
  const token = await storeMedia(
    env.MEDIA,
    {
      connection: connection.uuid,
      mimetype: options.mimetype ?? "image/jpeg",
      filename: options.filename ?? null,
      sizeBytes: bytes.length,
      expiresAt: options.expiresAt ?? Date.now() + DAY_MS,
    },
    new Blob([bytes]).stream(),
  );
  if (token === null) throw new Error("not stored");
  return token;
}

describe("a media link", () => {
  it("needs no key and cannot run anything", async () => {
    const answer = await ask(`/api/midia/${await stored()}.jpg`);
    expect([answer.status, await answer.text()]).toEqual([200, "0123456789"]);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      "content-type": "image/jpeg",
      "content-disposition": "inline",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "content-length": "10",
    });
    expect(headers["content-security-policy"]).toMatch(/^sandbox;/);
    expect(headers["cache-control"]).toMatch(/^private, max-age=\d+$/);
  });

  it("sends a file that could run scripts as a download of no particular type, under a safe name", async () => {
    const token = await stored({ mimetype: "text/html", filename: 'a"\r\nSet-Cookie: x=1\\é;.html', text: "<script>alert(1)</script>" });
    const answer = await ask(`/api/midia/${token}.html`);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    const disposition = answer.headers.get("content-disposition") ?? "";
    expect(disposition).toBe(
      `attachment; filename="a_Set-Cookie: x=1___.html"; filename*=UTF-8''a%22Set-Cookie%3A%20x%3D1%5C%C3%A9%3B.html`,
    );
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect((await ask(`/api/midia/${await stored({ mimetype: "image/svg+xml" })}.svg`)).headers.get("content-disposition")).toBe(
      "attachment",
    );
  });

  it("is shown as one of a few types, whatever a stranger called it", async () => {
    const seen = new Set<string>();
    for (const mimetype of [...HOSTILE_TYPES.filter((type) => /^[\x20-\x7e]+$/.test(type)), "image/png", "audio/ogg; codecs=opus"]) {
      const { headers } = await ask(`/api/midia/${await stored({ mimetype })}.bin`);
      seen.add(`${headers.get("content-disposition")} ${headers.get("content-type")}`);
    }
    expect([...seen].toSorted()).toEqual(["attachment application/octet-stream", "inline audio/ogg", "inline image/png"]);
  });

  it("runs nowhere, whatever its answer is", async () => {
    const path = `/api/midia/${await stored()}.jpg`;
    const etag = (await ask(path)).headers.get("etag") ?? "";
    const answers = [
      await ask(path),
      await ask(path, { headers: { range: "bytes=0-1" } }),
      await ask(path, { headers: { range: "bytes=99-" } }),
    ];
    answers.push(
      await ask(path, { headers: { "if-none-match": etag } }),
      await ask("/api/midia/x.jpg"),
      await ask(path, { method: "HEAD" }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 206, 416, 304, 404, 200]);
    for (const { status, headers } of answers) {
      expect([status, headers.get("x-content-type-options"), headers.get("content-security-policy")]).toEqual([
        status,
        "nosniff",
        expect.stringMatching(/^sandbox;/),
      ]);
    }
  });

  it("serves ranges, and 304 for a known ETag", async () => {
    const path = `/api/midia/${await stored()}.jpg`;
    const cases = [
      ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
      ["bytes=4-", 206, "456789", "bytes 4-9/10"],
      ["bytes=-2", 206, "89", "bytes 8-9/10"],
      ["bytes=8-100", 206, "89", "bytes 8-9/10"],
      ["bytes=-100", 206, "0123456789", "bytes 0-9/10"],
      ["bytes=10-", 416, "", "bytes */10"],
      ["bytes=0-1,3-4", 200, "0123456789", null],
      ["bytes=5-2", 200, "0123456789", null],
      ["items=0-1", 200, "0123456789", null],
      ["bytes=-0", 416, "", "bytes */10"],
    ] as const;
    for (const [range, status, body, contentRange] of cases) {
      const answer = await ask(path, { headers: { range } });
      expect([range, answer.status, await answer.text(), answer.headers.get("content-range")]).toEqual([range, status, body, contentRange]);
    }
    const etag = (await ask(path)).headers.get("etag") ?? "";
    expect((await ask(path, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await ask(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
  });

  it("expires, and then looks like one that never existed", async () => {
    const expired = await stored({ expiresAt: Date.now() - 1 });
    const never = `${expired.slice(0, 4)}${"0".repeat(48)}`;
    const bodies = new Set<string>();
    for (const name of [`${expired}.jpg`, `${never}.jpg`, "x.jpg", never, `${never}.`, `${never}.jpg.html`, `..%2F..%2Fsecret.jpg`]) {
      const answer = await ask(`/api/midia/${name}`);
      expect([name, answer.status]).toEqual([name, 404]);
      bodies.add(JSON.stringify(((await answer.json()) as { error: unknown }).error));
    }
    expect(bodies.size).toBe(1);
  });
});

describe("expired files", () => {
  it("are deleted, and no others", async () => {
    const now = Date.now();
    const [old, older, current] = [
      await stored({ expiresAt: now - DAY_MS }),
      await stored({ expiresAt: now - 3 * DAY_MS }),
      await stored({ expiresAt: now + DAY_MS }),
    ];
    expect(await purgeMedia(env.MEDIA, now)).toBeGreaterThanOrEqual(2);
    const left = [];
    for (const day of [now - DAY_MS, now - 3 * DAY_MS, now + DAY_MS])
      left.push(...(await env.MEDIA.list({ prefix: mediaDayPrefix(day) })).objects.map((object) => object.key.split("/")[2]));
    expect(left).not.toContain(old);
    expect(left).not.toContain(older);
    expect(left).toContain(current);
  });

  it("shorten a long name, with its extension", async () => {
    const token = await stored({ mimetype: "application/pdf", filename: `${"relatório ".repeat(200)}.pdf` });
    const disposition = (await ask(`/api/midia/${token}.pdf`)).headers.get("content-disposition") ?? "";
    expect(disposition).toMatch(/\.pdf"; filename\*=UTF-8''.+\.pdf$/);
  });
});
