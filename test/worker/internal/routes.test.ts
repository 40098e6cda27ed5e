// Routes for session bridges.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Env, settingsOf } from "#root/src/env.ts";
import { INTERNAL, MAX_MEDIA_BYTES, MEDIA_HEADERS, SESSION_TICKET_HEADER } from "@gateway/protocol/internal-http.ts";
import { createConnection } from "#root/src/services/connections/create.ts";
import { openMedia } from "#root/src/services/media/open.ts";
import { bridgeHeaders } from "../fakes/bridge.ts";
import { gateway, scriptedConnections } from "../support/gateway.ts";
import { someone } from "../support/people.ts";
import { bindTicket, makeTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const MB = 1024 * 1024;
const bridge = bridgeHeaders("one");
const upgrade = { upgrade: "websocket", connection: "Upgrade" };

/** A namespace whose objects all report that the bridge "one" hosts their session. */
const hosted = { getByName: () => ({ isHostedBy: async (id: string) => id === "one" }) } as unknown as Env["CONNECTION"];

/** A namespace whose objects accept every WebSocket and greet it with their name. */
function recordingNamespace(requests: string[]) {
  return {
    getByName: (name: string) => ({
      fetch: async (request: Request) => {
        requests.push(`${name} ${request.headers.get(SESSION_TICKET_HEADER)}`);
        const { 0: theirs, 1: ours } = new WebSocketPair();
        ours.accept();
        ours.send(`hello from ${name}`);
        return new Response(null, { status: 101, webSocket: theirs });
      },
    }),
  };
}

async function firstWord(answer: Response): Promise<unknown> {
  const socket = answer.webSocket;
  if (!socket) throw new Error(`no WebSocket but ${answer.status}`);
  return new Promise((resolve) => {
    socket.addEventListener("message", (event) => resolve(event.data));
    socket.accept();
  });
}

async function connectionOf(): Promise<string> {
  const { user } = await someone();
  const bindings = { ...env, ...scriptedConnections(() => ({ ok: true, json: "{}" })) } as Env;
  const made = await createConnection(bindings, { ownerId: user.id, name: "A", kind: "session" }, Date.now());
  if (!made.ok) throw new Error(made.failure.code);
  return made.value.uuid;
}

describe("the control socket", () => {
  it("is passed to the pool only with a bridge's credential", async () => {
    const requests: string[] = [];
    const ask = gateway({ BRIDGE_POOL: recordingNamespace(requests) as unknown as Env["BRIDGE_POOL"] });
    for (const headers of [
      {},
      { authorization: "Bearer nope" },
      { authorization: `Bearer ${env.BRIDGE_SECRET}` },
      { authorization: `${bridge.authorization}x` },
      { authorization: bridge.authorization.replace("brg_one", "brg_two") },
      { authorization: bridge.authorization.replace("Bearer", "Ticket") },
    ]) {
      expect((await ask(INTERNAL.bridges, { headers: { ...upgrade, ...headers } as Record<string, string> })).status).toBe(401);
    }
    expect((await ask(INTERNAL.bridges, { headers: bridge })).status).toBe(426);
    expect(requests).toEqual([]);
    expect(await firstWord(await ask(INTERNAL.bridges, { headers: { ...upgrade, ...bridge } }))).toBe("hello from default");
  });
});

describe("a session socket", () => {
  const secrets = () => settingsOf(env as Env).BRIDGE_SECRET;
  const ticketOf = (uuid: string) => ({ [SESSION_TICKET_HEADER]: bindTicket(secrets(), makeTicket(secrets(), "ab12", uuid), "one") });
  /** The response comes from something other than the connection's object. */
  const unmarked = () => ({ [SESSION_TICKET_HEADER]: bindTicket(secrets(), "ab12", "one") });
  const noDatabase = { prepare: () => expect.unreachable("D1 was asked") } as unknown as D1Database;

  it("is passed to its connection with its ticket, from bridges only, and D1 is not asked", async () => {
    const requests: string[] = [];
    const ask = gateway({ CONNECTION: recordingNamespace(requests) as unknown as Env["CONNECTION"], DB: noDatabase });
    const uuid = crypto.randomUUID();
    const ticket = ticketOf(uuid);
    expect(await firstWord(await ask(INTERNAL.session(uuid), { headers: { ...upgrade, ...bridge, ...ticket } }))).toBe(
      `hello from ${uuid}`,
    );
    expect((await ask(INTERNAL.session(uuid), { headers: { ...upgrade, ...ticket } })).status).toBe(401);
    expect((await ask(INTERNAL.session(uuid), { headers: { ...bridge, ...ticket } })).status).toBe(426);
    expect(requests).toEqual([`${uuid} ${ticket[SESSION_TICKET_HEADER]}`]);
  });

  it("creates no object for an unknown connection", async () => {
    const requests: string[] = [];
    const ask = gateway({ CONNECTION: recordingNamespace(requests) as unknown as Env["CONNECTION"] });
    const own = await connectionOf();
    for (const ticket of [{}, { [SESSION_TICKET_HEADER]: "t1" }, ticketOf(own), unmarked()])
      for (const name of [crypto.randomUUID(), "x", "..%2Fother", "default"])
        expect((await ask(`/internal/sessions/${name}`, { headers: { ...upgrade, ...bridge, ...ticket } })).status).toBe(404);
    expect(requests).toEqual([]);
  });
});

describe("media of a connection", () => {
  const ask = gateway({ CONNECTION: hosted });
  const put = (uuid: string, body: BodyInit | null, headers: Record<string, string>) =>
    ask(INTERNAL.mediaUpload(uuid), { method: "PUT", headers: { ...bridge, ...headers }, body });

  it("is uploaded, and downloaded by that connection only", async () => {
    const uuid = await connectionOf();
    const bytes = crypto.getRandomValues(new Uint8Array(100_000).subarray(0, 60_000));
    const brought = await put(uuid, bytes, {
      "content-type": "image/png",
      "content-length": "60000",
      [MEDIA_HEADERS.filename]: encodeURIComponent("férias.png"),
    });
    expect(brought.status).toBe(201);
    const { token, size } = (await brought.json()) as { token: string; size: number };
    expect([size, token]).toEqual([60_000, expect.stringMatching(/^[0-9a-z]{4}[0-9a-f]{48}$/)]);
    const fetched = await ask(INTERNAL.media(uuid, token), { headers: bridge });
    expect([fetched.status, fetched.headers.get("content-type"), fetched.headers.get("content-length")]).toEqual([
      200,
      "image/png",
      "60000",
    ]);
    expect(new Uint8Array(await fetched.arrayBuffer())).toEqual(bytes);
    expect((await ask(INTERNAL.media(await connectionOf(), token), { headers: bridge })).status).toBe(410);
    expect((await ask(INTERNAL.media(uuid, `${token.slice(0, -1)}x`), { headers: bridge })).status).toBe(410);
  });

  it("is read from storage as the bridge takes it, however large it is", async () => {
    const uuid = await connectionOf();
    const { token } = (await (await put(uuid, "abc", { "content-length": "3" })).json()) as { token: string };
    const size = 50 * MB;
    let [read, taken, most] = [0, 0, 0];
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (read === size) return controller.close();
          read += MB;
          most = Math.max(most, read - taken);
          controller.enqueue(new Uint8Array(MB));
        },
      },
      { highWaterMark: 0 },
    );
    const get = async (key: string) => {
      const { httpMetadata, customMetadata, httpEtag } = (await env.MEDIA.head(key)) ?? {};
      return { httpMetadata, customMetadata, httpEtag, size, body };
    };
    const answer = await gateway({ CONNECTION: hosted, MEDIA: { get } as unknown as R2Bucket })(INTERNAL.media(uuid, token), {
      headers: bridge,
    });
    expect(answer.status).toBe(200);
    for await (const piece of answer.body ?? []) taken += piece.length;
    expect(taken).toBe(size);
    expect(most).toBeLessThanOrEqual(2 * MB);
  });

  it("is stored for as long as the connection's owner has set, by default a week", async () => {
    const uuid = await connectionOf();
    for (const [header, days] of [
      ["1", 1],
      ["30", 30],
      ["31", 7],
      ["0", 7],
      ["x", 7],
    ] as const) {
      const brought = await put(uuid, "a", { "content-length": "1", [MEDIA_HEADERS.days]: header });
      const { token } = (await brought.json()) as { token: string };
      const stored = await openMedia(env.MEDIA, token, Date.now());
      await stored?.body.cancel();
      expect([header, Math.round(((stored?.expiresAt ?? 0) - Date.now()) / DAY_MS)]).toEqual([header, days]);
    }
  });

  it("is accepted only from the bridge that hosts the connection, with the correct length and up to 64 MB", async () => {
    const uuid = await connectionOf();
    expect((await ask(INTERNAL.mediaUpload(uuid), { method: "PUT", headers: { "content-length": "1" }, body: "a" })).status).toBe(401);
    expect((await put(uuid, "a", { "content-length": "1", ...bridgeHeaders("two") })).status).toBe(403);
    expect((await put(crypto.randomUUID(), "a", { "content-length": "1" })).status).toBe(403);
    expect((await put(uuid, "a", { "content-length": "" })).status).toBe(400);
    expect((await put(uuid, "a", { "content-length": String(MAX_MEDIA_BYTES + 1) })).status).toBe(413);
    for (const claimed of ["5", "1"])
      expect([claimed, (await put(uuid, "abc", { "content-length": claimed })).status]).toEqual([claimed, 503]);
    expect((await put("not-a-uuid", "a", { "content-length": "1" })).status).toBe(404);
    expect((await env.MEDIA.list({ prefix: "media/" })).objects.filter((object) => object.customMetadata?.["connection"] === uuid)).toEqual(
      [],
    );
  });
});
