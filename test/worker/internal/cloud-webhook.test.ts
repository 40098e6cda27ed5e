// Meta's webhook address (docs/internals/cloud-webhooks.md, "Receiving"), up to the object.
import { afterEach, describe, expect, it } from "vitest";
import type { Env } from "#root/src/env.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";
import { gateway } from "../support/gateway.ts";

afterEach(allEnded);

const TOKEN = "the token";
type Asked = { uuid: string; bytes: string; signature: string | null };

/** Objects that accept every signature `right`, and their recorded calls. */
function scripted(answer: () => number = () => 200) {
  const asked: Asked[] = [];
  const CONNECTION = {
    getByName: (uuid: string) => ({
      cloudWebhook: async (bytes: Uint8Array, signature: string | null) => {
        asked.push({ uuid, bytes: new TextDecoder().decode(bytes), signature });
        return signature === "right" ? answer() : 401;
      },
      cloudHandshake: async (token: string) => token === TOKEN,
    }),
  } as unknown as Env["CONNECTION"];
  return { asked, ask: gateway({ CONNECTION }) };
}

const address = (uuid: string) => `/api/cloud/webhook/${uuid}`;
const post = (body: BodyInit, signature?: string): RequestInit => ({
  method: "POST",
  body,
  headers: signature === undefined ? {} : { "X-Hub-Signature-256": signature },
});
const seen = async (answer: Response) => [answer.status, answer.headers.get("content-type"), await answer.text()];

describe("a webhook", () => {
  it("reaches its object byte for byte", async () => {
    const { uuid } = await TestConnection.create({ kind: "cloud_api" });
    const { ask, asked } = scripted();
    const body = String.raw`{"a":"\u00e9\/", "b":1}`;
    expect(await seen(await ask(address(uuid), post(body, "right")))).toEqual([200, "application/json", "{}"]);
    expect(asked).toEqual([{ uuid, bytes: body, signature: "right" }]);
  });

  it("is refused alike for a wrong signature, connection or kind, and reaches no other object", async () => {
    const cloud = await TestConnection.create({ kind: "cloud_api" });
    const session = await TestConnection.create();
    const { ask, asked } = scripted();
    const refused = [401, "text/plain; charset=utf-8", "unauthorized"];
    for (const uuid of [cloud.uuid, session.uuid, crypto.randomUUID(), "no-uuid", cloud.uuid.toUpperCase()]) {
      expect(await seen(await ask(address(uuid), post("{}", "wrong")))).toEqual(refused);
      expect(await seen(await ask(address(uuid), post("{}")))).toEqual(refused);
    }
    expect(asked.map(({ uuid }) => uuid)).toEqual([cloud.uuid, cloud.uuid]);
  });

  it("is at most 4 MB long, whatever is said of its length", async () => {
    const { uuid } = await TestConnection.create({ kind: "cloud_api" });
    const { ask, asked } = scripted();
    const longest = new Uint8Array(4 * 1024 * 1024).fill(0x20);
    expect((await ask(address(uuid), post(longest, "right"))).status).toBe(200);
    const longer = new Uint8Array(longest.length + 1).fill(0x20);
    expect((await ask(address(uuid), post(longer, "right"))).status).toBe(413);
    const { readable, writable } = new IdentityTransformStream();
    void new Response(longer).body?.pipeTo(writable).catch(() => undefined);
    expect((await ask(address(uuid), post(readable, "right"))).status).toBe(413);
    expect(asked).toHaveLength(1);
  });

  it("is answered 5xx if its object cannot store it or cannot be reached, so that Meta sends it again", async () => {
    const { uuid } = await TestConnection.create({ kind: "cloud_api" });
    for (const status of [500, 503]) expect((await scripted(() => status).ask(address(uuid), post("{}", "right"))).status).toBe(status);
    const { ask } = scripted(() => {
      throw new Error("internal error; reference = 1");
    });
    expect(await seen(await ask(address(uuid), post("{}", "right")))).toEqual([500, "text/plain; charset=utf-8", "failed"]);
  });
});

describe("a handshake", () => {
  const query = (values: Record<string, string>) =>
    `?${new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": TOKEN, "hub.challenge": "1158201444", ...values }).toString()}`;

  it("is answered with its challenge, as text", async () => {
    const { uuid } = await TestConnection.create({ kind: "cloud_api" });
    const answer = await scripted().ask(address(uuid) + query({ "hub.challenge": "<b>1158201444</b>" }));
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await seen(answer)).toEqual([200, "text/plain; charset=utf-8", "<b>1158201444</b>"]);
  });

  it("is refused alike if anything in it is wrong", async () => {
    const { uuid } = await TestConnection.create({ kind: "cloud_api" });
    const session = await TestConnection.create();
    const { ask } = scripted();
    const wrong = [
      address(uuid),
      address(uuid) + query({ "hub.verify_token": "another" }),
      address(uuid) + query({ "hub.verify_token": "" }),
      address(uuid) + query({ "hub.mode": "unsubscribe" }),
      address(uuid) + query({ "hub.challenge": "" }),
      address(uuid) + query({ "hub.challenge": "1".repeat(1_025) }),
      address(session.uuid) + query({}),
      address(crypto.randomUUID()) + query({}),
    ];
    for (const path of wrong) expect(await seen(await ask(path))).toEqual([403, "text/plain; charset=utf-8", "forbidden"]);
  });
});
