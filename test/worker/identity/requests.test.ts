// Only the product's own requests reach the identity library, because anyone can call it.
import { describe, expect, it, vi } from "vitest";
import { IDENTITY_ROUTES } from "#root/src/api/dashboard/auth-routes.ts";
import { APP, type EnglishError, freshAddress, gateway } from "../support/gateway.ts";

const KB = 1024;

async function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<[number, string | undefined]> {
  const answer = await gateway()(`/api/auth${path}`, {
    method: "POST",
    headers: { origin: APP, "cf-connecting-ip": freshAddress(), "content-type": "application/json", ...headers },
    body,
  });
  return [answer.status, ((await answer.json()) as Partial<EnglishError> | null)?.error?.code];
}

const signIn = (more: object) => JSON.stringify({ email: "ana@example.com", password: "a long password", ...more });

describe("a request without credentials", () => {
  it("must have a body of at most 64 KB", async () => {
    expect(await post("/sign-in/email", signIn({}).padEnd(64 * KB, " "))).toEqual([401, undefined]);
    expect(await post("/sign-in/email", signIn({}).padEnd(64 * KB + 1, " "))).toEqual([413, "body_too_large"]);
  });

  it("is answered 413 after at most 27 MB if its body never ends", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      type: "bytes",
      pull(controller: ReadableByteStreamController) {
        pulled += 64 * KB;
        controller.enqueue(new Uint8Array(64 * KB));
      },
    });
    expect(await post("/sign-in/email", endless)).toEqual([413, "body_too_large"]);
    expect(pulled).toBeLessThan(27 * KB * KB);
  });

  it("must have no other fields, so no picture", async () => {
    const picture = { image: `data:image/png;base64,${"A".repeat(50_000)}` };
    expect(await post("/sign-up/email", signIn({ name: "Ana", ...picture }))).toEqual([400, "validation_error"]);
    expect(await post("/update-user", JSON.stringify(picture))).toEqual([400, "validation_error"]);
    expect(await post("/sign-up/email", signIn({ name: "A".repeat(50_000) }))).toEqual([400, "validation_error"]);
    expect(await post("/sign-in/email", signIn({ password: "a".repeat(50_000) }))).toEqual([400, "validation_error"]);
  });

  it("must have no lone surrogate", async () => {
    expect(await post("/sign-up/email", signIn({ name: "Ana \ud83d" }))).toEqual([400, "validation_error"]);
  });

  it("must be JSON", async () => {
    expect(await post("/sign-in/email", "email=a", { "content-type": "application/x-www-form-urlencoded" })).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await post("/sign-in/email", "{")).toEqual([400, "invalid_json"]);
  });

  it("finds only the routes that the product has, by their methods", async () => {
    const statuses = async (method: string, path: string) =>
      (await gateway()(`/api/auth${path}`, { method, headers: { origin: APP, "cf-connecting-ip": freshAddress() } })).status;
    for (const path of ["/sign-in/social", "/link-social", "/callback/x", "/change-email", "/delete-user", "/list-sessions", "/ok", "/x"])
      for (const method of ["GET", "POST", "PUT", "DELETE"])
        expect([method, path, await statuses(method, path)]).toEqual([method, path, 404]);
    expect([await statuses("GET", "/sign-in/email"), await statuses("PUT", "/sign-in/email")]).toEqual([404, 404]);
    expect([await statuses("GET", "/jwks"), await statuses("GET", "/token"), await statuses("GET", "/get-session")]).toEqual([
      200, 401, 200,
    ]);
  });
});

describe("a request from another site", () => {
  const posts = IDENTITY_ROUTES.filter(({ method }) => method === "POST").map(({ path }) => path);
  const LONG = `https://${"a".repeat(12_000)}.example`;

  it.each(posts)("is refused before the library sees it, and nothing of it is logged: %s", async (path) => {
    const lines = vi.spyOn(console, "log");
    const session = { cookie: "__Host-gateway.session_token=x.y" };
    for (const from of [
      { origin: LONG },
      { origin: "null" },
      { origin: `${APP}.evil.example` },
      { origin: `${APP}, ${LONG}` },
      { origin: LONG, referer: APP },
      { referer: LONG },
    ]) {
      const headers = { "cf-connecting-ip": freshAddress(), "content-type": "application/json", ...session, ...from };
      const answer = await gateway()(`/api/auth${path}`, { method: "POST", headers, body: signIn({}) });
      expect([answer.status, ((await answer.json()) as EnglishError).error.code]).toEqual([403, "forbidden"]);
    }
    const logged = lines.mock.calls.map(([line]) => String(line));
    lines.mockRestore();
    expect(logged.filter((line) => line.includes("aaaa") || line.includes("evil"))).toEqual([]);
  });
});
