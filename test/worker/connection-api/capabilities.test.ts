// GET /instance/capabilities lists the routes that work on a connection. Every route is tried and must match its entry.
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ROUTES } from "#root/src/api/connection/routes.ts";
import { settingsOf, type Env } from "#root/src/env.ts";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { ConnectionRecord } from "@gateway/protocol/connection.ts";
import type { FakeSession } from "../fakes/bridge.ts";
import { event, TestConnection } from "../fakes/connection.ts";
import { TABLE } from "../security/world.ts";
import { type ErrorBody, freshAddress, gateway } from "../support/gateway.ts";

type Capabilities = {
  kind: string;
  is_business: boolean | null;
  features: Record<string, boolean>;
  routes: { method: string; path: string; supported: boolean; reason: string | null }[];
  limits: Record<string, number>;
};

const ask = gateway();

class Caller {
  readonly connection: TestConnection;
  readonly #key: string;

  private constructor(connection: TestConnection, key: string) {
    this.connection = connection;
    this.#key = key;
  }

  static async of(connection: TestConnection): Promise<Caller> {
    const { key, prefix, hash } = makeKey(settingsOf(env as Env).KEY_SECRET, connection.uuid, crypto.getRandomValues(new Uint8Array(15)));
    await connection.ask("keys.create", { name: "test", prefix, hash });
    return new Caller(connection, key);
  }

  async call(
    path: string,
    init: { method: string; body?: string } = { method: "GET" },
  ): Promise<{ status: number; codigo: string; data: unknown }> {
    const headers = { "x-api-key": this.#key, "content-type": "application/json", "cf-connecting-ip": freshAddress() };
    const answer = await ask(path, { ...init, headers });
    const body = (await answer.json()) as Partial<ErrorBody> & { data?: unknown };
    return { status: answer.status, codigo: body.error?.codigo ?? "", data: body.data };
  }

  async capabilities(): Promise<Capabilities> {
    return (await this.call("/api/v1/instance/capabilities")).data as Capabilities;
  }
}

/** Answers every command at once, because this test does not depend on the network's responses. */
async function refuseEverything(session: FakeSession): Promise<void> {
  for (;;) {
    const { id, name, input } = await session.frames.next("command");
    if (name === "send") {
      const { message_id } = JSON.parse(input) as { message_id: string };
      session.say({ type: "result", id, ok: true, value: "{}" });
      session.put([{ type: "send.settled", message_id, outcome: { kind: "refused", failure: { code: "network_error" } } }]);
    } else session.say({ type: "failed", id, failure: { code: "network_error" } });
  }
}

/** Pairs each route's response with its listed capability. Routes that end the session come last. */
async function triedAndSaid(caller: Caller) {
  const { routes } = await caller.capabilities();
  const ends = (path: string): number => (/\/instance\/(connect|disconnect|restart|pairing-code)$/.test(path) ? 1 : 0);
  const results: { name: string; tried: string | null; said: string | null }[] = [];
  for (const { name, path, init } of TABLE.toSorted((one, other) => ends(one.path) - ends(other.path))) {
    const { codigo } = await caller.call(path, init);
    const template = new URL(path, "https://app").pathname;
    const fitting = routes.filter((route) => route.method === init.method.toUpperCase() && fits(route.path, template));
    const [said] = fitting.toSorted((one, other) => parametersOf(one.path) - parametersOf(other.path));
    const tried = codigo === "nao_suportado" || codigo === "exige_conta_comercial" ? codigo : null;
    results.push({ name, tried, said: said === undefined ? "nothing" : said.reason });
  }
  return results;
}

/** If two templates match, the more literal one wins. */
const parametersOf = (template: string): number => template.split("{").length;

function fits(template: string, path: string): boolean {
  const [wanted, given] = [template.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((word, at) => word.startsWith("{") || word === given[at]);
}

/** Fetching files from URLs is out of scope here. */
beforeAll(() => void vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, { status: 404 })));

const ended: TestConnection[] = [];
afterAll(async () => {
  vi.restoreAllMocks();
  for (const connection of ended) await connection.end();
});

async function session(isBusiness: boolean): Promise<Caller> {
  const connection = await TestConnection.create();
  ended.push(connection);
  const bridge = await connection.bridge();
  await connection.ask("instance.connect", { force_new_pairing: false });
  const opened = await bridge.open(connection.uuid);
  await opened.commit([{ ...event.open(), is_business: isBusiness } as ReturnType<typeof event.open>]);
  void refuseEverything(opened);
  return Caller.of(connection);
}

async function unconnected(change: Partial<ConnectionRecord>): Promise<Caller> {
  const connection = await TestConnection.create(change);
  ended.push(connection);
  return Caller.of(connection);
}

describe.each([
  ["a business session", () => session(true)],
  ["a session that is no business", () => session(false)],
  ["the other kind of connection", () => unconnected({ kind: "cloud_api" })],
] as const)("on %s", (_name, open) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await open();
  });

  it("every route matches its listed capability", { timeout: 120_000 }, async () => {
    const results = await triedAndSaid(caller);
    expect(results.filter(({ tried, said }) => tried !== said)).toEqual([]);
    expect(results).toHaveLength(TABLE.length);
  });
});

describe("capabilities", () => {
  it("name every route of the table once, and every feature and limit", async () => {
    const caller = await unconnected({});
    const { kind, is_business, features, routes, limits } = await caller.capabilities();
    expect({ kind, is_business }).toEqual({ kind: "session", is_business: null });
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual(
      ROUTES.map(({ method, path }) => `${method.toUpperCase()} /api/v1${path}`),
    );
    expect(features).toMatchObject({
      "messages.poll": true,
      "messages.list": false,
      "messages.template": false,
      chats: true,
      "calls.reject": true,
    });
    expect(limits).toMatchObject({
      burst_requests: 200,
      burst_window_ms: 10_000,
      body_bytes: 26_214_400,
      url_media_bytes: 52_428_800,
      text_characters: 65_536,
      caption_characters: 1_024,
      presence_subscriptions: 500,
      pinned_chats: 3,
    });
    expect(Object.keys(limits).length).toBeGreaterThanOrEqual(Object.keys(LIMITS).length);
  });

  it("count a feature that can only be read as missing when the kind lacks all its changes", async () => {
    const caller = await unconnected({ kind: "cloud_api" });
    const { features } = await caller.capabilities();
    expect(features).toMatchObject({
      "groups.settings": false,
      "chats.messages": true,
      "profile.picture": true,
      calls: true,
      groups: true,
    });
  });
});
