// Presence, calls, health and capabilities, as a customer, a webhook and the phones see them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { failed } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511900000121";
const BIA = "5511900000122";
const CARLA = "5511900000123";
const NOBODY = "5511900009921";
const WITHIN_MS = 60_000;

let sandbox: SharedSandbox;
let shop: PairedConnection;
let network: ReturnType<typeof phones>;
let receiver: Receiver;
beforeAll(async () => {
  [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  network = phones(sandbox.ready());
  await Promise.all([network.create(BIA, "Bia"), network.create(CARLA, "Carla")]);
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Shop" });
  await shop.owner.call("PUT", `/connections/${shop.id}/webhook`, { url: receiver.url, events: ["presence", "call", "message.received"] });
});
afterAll(() => Promise.all([sandbox.dispose(), receiver.stop()]));

const done = { status: 200, body: { ok: true } };
const become = (what: string, is: () => Promise<boolean>) => eventually(what, WITHIN_MS, is);
const onPhone = (phone: string, path: string, body?: unknown) =>
  network.call(body === undefined ? "GET" : "POST", `/phones/${phone}/${path}`, body);
const connected = () =>
  become("connected", async () => (await shop.owner.call("GET", `/connections/${shop.id}`)).body.data.status === "connected");

/** A person's presence events delivered so far. */
const presenceEvents = (person = BIA) =>
  receiver
    .events<{ type: string; data: Record<string, unknown> }>()
    .filter(({ type, data }) => type === "presence" && data["phone"] === person)
    .map(({ data }) => data);
const presenceDelivered = (presence: string, after: number, person = BIA) =>
  eventually(`${presence} of ${person}`, WITHIN_MS, () =>
    presenceEvents(person)
      .slice(after)
      .find((data) => data["presence"] === presence),
  );

describe("the presence of others", () => {
  it("is subscribed to by the first read, which already returns it", async () => {
    await onPhone(BIA, "presence", { presence: "online" });
    const { status, body } = await shop.api.get(`/chats/${BIA}@c.us/presence`);
    expect([status, body.data]).toEqual([
      200,
      {
        chat_id: `${BIA}@c.us`,
        presence: "online",
        last_seen: null,
        participants: [],
        updated_at: expect.any(String) as string,
        subscribed: true,
      },
    ]);
    await onPhone(BIA, "presence", { presence: "offline" });
    await become("offline", async () => (await shop.api.get(`/chats/${BIA}/presence`)).body.data.presence === "offline");
    expect((await shop.api.get(`/chats/${BIA}/presence`)).body.data.last_seen).toBeGreaterThan(1_700_000_000);
    expect((await shop.api.get("/presence")).body.data.subscriptions).toEqual([`${BIA}@c.us`]);
    expect(await shop.api.get(`/chats/${NOBODY}/presence`)).toMatchObject(failed(422, "numero_sem_conta"));
    expect(await shop.api.get("/chats/120363041234567891@newsletter/presence")).toMatchObject(failed(400, "requisicao_invalida"));
  });

  it("arrives as events, in the documented terms", async () => {
    const before = presenceEvents().length;
    await onPhone(BIA, "presence", { presence: "online" });
    for (const presence of ["typing", "recording", "paused"]) {
      await onPhone(BIA, "presence", { presence, chat_id: SHOP });
      expect(await presenceDelivered(presence, before)).toMatchObject({
        chat_id: `${BIA}@c.us`,
        phone: BIA,
        is_group: false,
        last_seen: null,
        timestamp: expect.any(Number) as number,
      });
    }
    await onPhone(BIA, "presence", { presence: "offline" });
    expect((await presenceDelivered("offline", before))["last_seen"]).toBeGreaterThan(1_700_000_000);
  });

  it("continues after a lost connection, and in a new session of the bridge", async () => {
    const lines: [string, () => Promise<unknown>][] = [
      ["a lost line", () => network.call("POST", "/faults", { phone: SHOP, kind: "drop_socket" })],
      ["another session", () => shop.api.call("POST", "/instance/restart")],
    ];
    for (const [what, lose] of lines) {
      const before = presenceEvents().length;
      await lose();
      // A new subscription makes the network report the presence at once.
      await eventually(`asked anew after ${what}`, 60_000, () => presenceEvents().length > before);
      await connected();
      await onPhone(BIA, "presence", { presence: "online" });
      await presenceDelivered("online", before);
      await onPhone(BIA, "presence", { presence: "offline" });
      await presenceDelivered("offline", before);
    }
  });

  it("is subscribed to automatically, and no longer once disabled", async () => {
    expect(await shop.api.call("POST", `/chats/${CARLA}@c.us/presence/subscribe`)).toMatchObject(done);
    expect(await shop.api.call("POST", `/chats/${CARLA}@c.us/presence/subscribe`), "a second subscription succeeds").toMatchObject(done);
    await onPhone(CARLA, "presence", { presence: "online" });
    await presenceDelivered("online", 0, CARLA);
    expect(await shop.api.call("DELETE", `/chats/${CARLA}@c.us/presence/subscribe`)).toMatchObject(done);
    expect((await shop.api.get("/presence")).body.data.subscriptions).toEqual([`${BIA}@c.us`]);
    const [carlas, bias] = [presenceEvents(CARLA).length, presenceEvents().length];
    await onPhone(CARLA, "presence", { presence: "typing", chat_id: SHOP });
    await onPhone(BIA, "presence", { presence: "typing", chat_id: SHOP });
    await presenceDelivered("typing", bias);
    expect(presenceEvents(CARLA)).toHaveLength(carlas);
    expect(await shop.api.call("POST", `/chats/${NOBODY}/presence/subscribe`)).toMatchObject(failed(422, "numero_sem_conta"));
    expect(await shop.api.call("DELETE", `/chats/${NOBODY}/presence/subscribe`)).toMatchObject(done);
  });

  it("is seen in groups, by member", async () => {
    const group = (await onPhone(BIA, "groups", { subject: "Together", participants: [SHOP, CARLA] })).body.group_id as string;
    expect(await shop.api.call("POST", `/chats/${group}/presence/subscribe`)).toMatchObject(done);
    await onPhone(CARLA, "presence", { presence: "recording", chat_id: group });
    const event = await receiver.waitFor(
      "Carla in the group",
      WITHIN_MS,
      ({ type, data }) => type === "presence" && data.chat_id === group,
    );
    expect(JSON.parse(event.body).data).toMatchObject({ phone: CARLA, is_group: true, presence: "recording" });
    expect((await shop.api.get(`/chats/${group}/presence`)).body.data).toMatchObject({
      presence: "unknown",
      participants: [{ phone: CARLA, presence: "recording" }],
    });
  });
});

describe("the own presence", () => {
  const online = async () => (await onPhone(BIA, `presence?chat_id=${SHOP}@c.us`)).body.data.online as boolean | null;

  it("is visible to others, and again after a reconnect", async () => {
    expect((await shop.api.get("/presence")).body.data.presence).toBe("offline");
    expect(await shop.api.call("PUT", "/presence", { presence: "online" })).toMatchObject(done);
    expect((await shop.api.get("/presence")).body.data.presence).toBe("online");
    await become("online at Bia's", async () => (await online()) === true);
    const history = async () =>
      ((await onPhone(BIA, `presence?chat_id=${SHOP}@c.us`)).body.data.history as { presence: string }[]).map(({ presence }) => presence);
    const before = (await history()).length;
    await shop.api.call("POST", "/instance/restart");
    await become("gone for a moment, and online again", async () => (await history()).slice(before).slice(-2).join() === "offline,online");
    await connected();
    expect(await shop.api.call("PUT", "/presence", { presence: "offline" })).toMatchObject(done);
    await become("offline at Bia's", async () => (await online()) === false);
    expect(await shop.api.call("PUT", "/presence", { presence: "busy" })).toMatchObject(failed(400, "requisicao_invalida"));
  });
});

describe("a call", () => {
  const ring = async () => (await onPhone(BIA, "call", { to: SHOP, video: true })).body.call_id as string;
  const delivered = (callId: string, status: string) =>
    receiver.waitFor(
      `${callId} ${status}`,
      WITHIN_MS,
      ({ type, data }) => type === "call" && data.call_id === callId && data.status === status,
    );
  const atBia = async (callId: string) =>
    ((await onPhone(BIA, "calls")).body.data as { call_id: string; status: string }[]).find(({ call_id }) => call_id === callId)?.status;
  const listed = async (callId: string) =>
    ((await shop.api.get("/calls")).body.data as { call_id: string }[]).find(({ call_id }) => call_id === callId);
  const reject = (call_id: string, from = BIA) => shop.api.call("POST", "/calls/reject", { call_id, from });

  it("is rejected: the caller sees it, without an event", async () => {
    const callId = await ring();
    expect(JSON.parse((await delivered(callId, "received")).body).data).toMatchObject({
      from: BIA,
      chat_id: `${BIA}@c.us`,
      is_video: true,
      is_group: false,
    });
    expect(await reject(callId, CARLA)).toMatchObject(failed(404, "chamada_nao_encontrada"));
    expect(await reject(callId)).toMatchObject(done);
    await eventually("the call dropped at the caller's", WITHIN_MS, async () => (await atBia(callId)) === "rejected");
    expect(await listed(callId)).toEqual({
      call_id: callId,
      chat_id: `${BIA}@c.us`,
      from: BIA,
      phone: BIA,
      is_video: true,
      is_group: false,
      status: "rejected",
      timestamp: expect.any(Number) as number,
    });
    expect(await reject(callId)).toMatchObject(failed(409, "chamada_encerrada"));
    // If the failed rejection caused an event, it would arrive before the events of this later call.
    const next = await ring();
    await delivered(next, "received");
    await onPhone(BIA, `calls/${next}/end`, {});
    const events = receiver
      .events<{ type: string; data: Record<string, unknown> }>()
      .filter(({ type, data }) => type === "call" && data["call_id"] === callId);
    expect(events.map(({ data }) => data["status"])).toEqual(["received"]);
  });

  it("can no longer be rejected if it was answered, refused or missed elsewhere", async () => {
    const ends = [
      ["accepted", (id: string) => onPhone(SHOP, `calls/${id}/accept`, {})],
      ["rejected", (id: string) => onPhone(SHOP, `calls/${id}/reject`, {})],
      ["missed", (id: string) => onPhone(BIA, `calls/${id}/timeout`, {})],
    ] as const;
    for (const [status, end] of ends) {
      const callId = await ring();
      await delivered(callId, "received");
      await end(callId);
      await become(`${callId} ${status}`, async () => ((await listed(callId)) as { status?: string } | undefined)?.status === status);
      if (status !== "missed") await delivered(callId, status);
      expect(await reject(callId)).toMatchObject(failed(409, "chamada_encerrada"));
    }
    expect(await reject("NONE")).toMatchObject(failed(404, "chamada_nao_encontrada"));
    expect(await reject("NONE", "12")).toMatchObject(failed(400, "numero_invalido"));
    expect((await shop.api.get("/calls?limit=1")).body.data).toHaveLength(1);
  });
});

describe("health and capabilities", () => {
  it("count sends, and show the network's limits on new chats", async () => {
    const sent = await shop.api.text(BIA, "count me");
    expect(sent.status).toBe(200);
    await network.call("PATCH", `/phones/${SHOP}`, {
      new_chat_quota: { total: 50, used: 49, status: "SECOND_WARNING", ends_at: 1_999_999_999 },
    });
    const { status, body } = await shop.api.get("/instance/health");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      level: "warning",
      score: 75,
      restriction: null,
      sends_24h: 1,
      failed_24h: 0,
      code463_24h: { cold: 0, warm: 0 },
      proxy: null,
      quality_rating: null,
      new_chat_quota: { total: 50, used: 49, cycle_ends_at: "2033-05-18T03:33:19.000Z", status: "second_warning" },
      last_inbound_at: null,
      connected_since: expect.any(String) as string,
      checked_at: expect.any(String) as string,
    });
    expect(body.data.reconnects_24h, "the reconnect after the lost connection").toBeGreaterThanOrEqual(1);
    await network.call("PATCH", `/phones/${SHOP}`, { new_chat_quota: { total: 50, used: 20, status: "NONE", ends_at: 1_999_999_999 } });
    const shown = async () => (await shop.api.get("/instance/health")).body.data.new_chat_quota;
    await expect.poll(shown, { message: "the network reports a change by itself" }).toMatchObject({ used: 20, status: "none" });
  });

  it("are accurate: unsupported operations answer 501", async () => {
    const { data } = (await shop.api.get("/instance/capabilities")).body as {
      data: { kind: string; features: Record<string, boolean>; limits: Record<string, number> };
    };
    expect(data).toMatchObject({ kind: "session", is_business: false, limits: { presence_subscriptions: 500, pinned_chats: 3 } });
    expect(data.features).toMatchObject({
      "messages.poll": true,
      "messages.list": false,
      "calls.reject": true,
      "chats.presence.subscribe": true,
      labels: false,
    });
    const list = { to: BIA, body: "choose", button: "open", sections: [{ title: "one", rows: [{ row_id: "1", title: "first" }] }] };
    expect(await shop.api.call("POST", "/messages/list", list)).toMatchObject(failed(501, "nao_suportado"));
    expect(await shop.api.get("/labels")).toMatchObject(failed(403, "exige_conta_comercial"));
  });
});

it("presence and calls make no network request while the number is not connected", async () => {
  expect(await shop.api.call("POST", "/instance/disconnect")).toMatchObject(done);
  expect(await shop.api.get(`/chats/${CARLA}/presence`)).toMatchObject(failed(409, "conexao_desconectada"));
  expect((await shop.api.get(`/chats/${BIA}/presence`)).body.data).toMatchObject({ presence: "unknown", subscribed: true });
  expect(await shop.api.call("PUT", "/presence", { presence: "online" })).toMatchObject(failed(409, "conexao_desconectada"));
  expect((await shop.api.get("/presence")).body.data.presence).toBe("offline");
  expect(await shop.api.get("/instance/health")).toMatchObject({ status: 200, body: { data: { connected_since: null } } });
});
