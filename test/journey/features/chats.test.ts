// Chats: changed by a customer and seen on the phones, and changed on the phone and seen by the customer.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { failed } from "../../support/replies.ts";
import { PNG, sha256 } from "../../support/sample-files.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const SHOP = "5511900000111";
const BIA = "5511900000112";
const OTHERS = ["5511900000113", "5511900000114", "5511900000115"] as const;
const NOBODY = "5511900009911";
const WITHIN_MS = 60_000;

let sandbox: SharedSandbox;
let shop: PairedConnection;
let network: ReturnType<typeof phones>;
beforeAll(async () => {
  sandbox = await borrowSandbox();
  network = phones(sandbox.ready());
  await Promise.all([network.create(BIA, "Bia"), ...OTHERS.map((phone) => network.create(phone, `Friend ${phone}`))]);
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Shop" });
  for (const phone of [...OTHERS, BIA]) await network.send(phone, { to: SHOP, text: `I am ${phone}` });
  await eventually("all chats", WITHIN_MS, async () => (await chats()).length === 4);
});
afterAll(() => sandbox.dispose());

const done = { status: 200, body: { ok: true } };
const post = (path: string, body?: unknown) => shop.api.call("POST", path, body);
const onChat = (action: string, body?: unknown, person = BIA) => post(`/chats/${person}@c.us/${action}`, body);

/** Varies the query, because a cached read may be up to ten seconds old. */
let reads = 0;
const chats = async () => (await shop.api.get(`/chats?limit=${50 + (++reads % 150)}`)).body.data as Record<string, any>[];
const shown = async (person = BIA) => (await chats()).find(({ chat_id }) => chat_id === `${person}@c.us`);
const onPhone = async (person = BIA, phone = SHOP) => (await network.call("GET", `/phones/${phone}/chats/${person}@c.us`)).body.data;
const become = (what: string, is: () => Promise<boolean>) => eventually(what, WITHIN_MS, is);

describe("a chat", () => {
  it("is listed, and found by its id in every format", async () => {
    for (const id of [`${BIA}@c.us`, BIA, `${BIA}@s.whatsapp.net`, `${BIA}%40c.us`]) {
      const { status, body } = await shop.api.get(`/chats/${id}`);
      expect([status, body.data]).toEqual([
        200,
        expect.objectContaining({
          chat_id: `${BIA}@c.us`,
          kind: "direct",
          phone: BIA,
          unread_count: 1,
          archived: false,
          pinned: false,
          muted_until: null,
        }),
      ]);
    }
    expect(await shop.api.get(`/chats/${NOBODY}@c.us`)).toMatchObject(failed(404, "conversa_nao_encontrada"));
    expect(await shop.api.get("/chats/nobody")).toMatchObject(failed(400, "requisicao_invalida"));
  });

  it("is archived and comes back", async () => {
    for (const [action, archived] of [
      ["archive", true],
      ["unarchive", false],
    ] as const) {
      expect(await onChat(action)).toMatchObject(done);
      expect((await shop.api.get(`/chats/${BIA}`)).body.data.archived, "the caller reads its own change").toBe(archived);
      await become(`${action}d on the phone`, async () => (await onPhone()).archived === archived);
      expect((await shop.api.get(`/chats?archived=${archived}`)).body.data).toContainEqual(
        expect.objectContaining({ chat_id: `${BIA}@c.us` }),
      );
    }
    expect(await onChat("archive", undefined, NOBODY)).toMatchObject(failed(404, "conversa_nao_encontrada"));
  });

  it("is pinned, with no more than two others", async () => {
    for (const phone of OTHERS) expect(await onChat("pin", undefined, phone)).toMatchObject(done);
    for (const phone of OTHERS) await become(`${phone} pinned on the phone`, async () => (await onPhone(phone)).pinned === true);
    expect(await onChat("pin")).toMatchObject(failed(409, "limite_de_fixados"));
    expect((await onPhone()).pinned).toBe(false);
    expect(await onChat("unpin", undefined, OTHERS[0])).toMatchObject(done);
    expect(await onChat("pin")).toMatchObject(done);
    await become("pinned on the phone", async () => (await onPhone()).pinned === true && (await onPhone(OTHERS[0])).pinned === false);
    expect((await chats()).slice(0, 3).map(({ pinned }) => pinned as boolean)).toEqual([true, true, true]);
    for (const phone of [...OTHERS.slice(1), BIA]) await onChat("unpin", undefined, phone);
  });

  it("is muted for a time, forever, and unmuted", async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    expect(await onChat("mute", { duration_seconds: 3_600 })).toMatchObject(done);
    const until = Date.parse((await shop.api.get(`/chats/${BIA}`)).body.data.muted_until as string) / 1000;
    expect(until - startedAt).toBeGreaterThanOrEqual(3_600);
    expect(until - startedAt).toBeLessThan(3_700);
    await become("silent on the phone", async () => (await onPhone()).muted_until === until);
    expect(await onChat("mute")).toMatchObject(done);
    expect((await shop.api.get(`/chats/${BIA}`)).body.data.muted_until).toBe("always");
    await become("silent for ever", async () => (await onPhone()).muted_until === -1);
    expect(await onChat("unmute")).toMatchObject(done);
    expect((await shop.api.get(`/chats/${BIA}`)).body.data.muted_until).toBeNull();
    await become("heard again", async () => (await onPhone()).muted_until === null);
    for (const duration_seconds of [3_599, 31_536_001, "3600"]) {
      expect(await onChat("mute", { duration_seconds })).toMatchObject(failed(400, "requisicao_invalida"));
    }
    expect(await onChat("mute", { seconds: 3_600 })).toMatchObject(failed(400, "requisicao_invalida"));
  });

  it("is marked as unread, then read: its author sees the receipt", async () => {
    const { body } = await network.send(BIA, { to: SHOP, text: "read me" });
    await become("unread", async () => (await shown())?.["unread_count"] === 2);
    expect(await onChat("unread")).toMatchObject(done);
    expect((await shop.api.get(`/chats/${BIA}`)).body.data).toMatchObject({ unread_count: 2, marked_unread: true });
    await become("marked on the phone", async () => (await onPhone()).marked_unread === true);
    expect(await onChat("seen")).toMatchObject(done);
    expect((await shop.api.get(`/chats/${BIA}`)).body.data).toMatchObject({ unread_count: 0, marked_unread: false });
    await become("seen on the phone", async () => (await onPhone()).unread_count === 0 && (await onPhone()).marked_unread === false);
    await become("read, at the author's", async () => {
      const receipts = (await network.call("GET", `/phones/${BIA}/receipts?message_id=${body.message_id}`)).body.data as { kind: string }[];
      return receipts.some(({ kind }) => kind === "read");
    });
    expect((await shop.api.get("/chats?unread=true")).body.data).not.toContainEqual(expect.objectContaining({ chat_id: `${BIA}@c.us` }));
  });

  it("shows typing and recording to the other side, for the given time", async () => {
    const seen = async () => {
      const { history } = (await network.call("GET", `/phones/${BIA}/presence?chat_id=${SHOP}@c.us`)).body.data as {
        history: { presence: string }[];
      };
      return history.map(({ presence }) => presence).filter((presence) => presence !== "online" && presence !== "offline");
    };
    expect(await onChat("typing", { state: "typing", duration_ms: 200 })).toMatchObject(done);
    await become("typing, then stopped by itself", async () => (await seen()).join() === "typing,paused");
    expect(await onChat("typing", { state: "recording" })).toMatchObject(done);
    expect(await onChat("typing", { state: "paused" })).toMatchObject(done);
    await become("recording, then stopped", async () => (await seen()).join() === "typing,paused,recording,paused");
    expect(await onChat("typing", { state: "dancing" })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await onChat("typing", { state: "typing", duration_ms: 25_001 })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await onChat("typing", { state: "typing" }, NOBODY)).toMatchObject(failed(422, "numero_sem_conta"));
    expect(await post("/chats/120363041234567891@newsletter/typing", { state: "typing" })).toMatchObject(
      failed(400, "requisicao_invalida"),
    );
  });

  it("loses its messages after a time, on both sides, until that is turned off", async () => {
    const timer = (seconds: unknown) => shop.api.call("PUT", `/chats/${BIA}@c.us/disappearing`, { seconds });
    for (const seconds of [604_800, 0]) {
      expect(await timer(seconds)).toMatchObject(done);
      expect((await shop.api.get(`/chats/${BIA}`)).body.data.disappearing_seconds).toBe(seconds);
      await become(`${seconds} at the other side's`, async () => (await onPhone(SHOP, BIA)).disappearing_seconds === seconds);
      await become(`${seconds} on the own phone`, async () => (await onPhone()).disappearing_seconds === seconds);
    }
    expect(await timer(3_600)).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await shop.api.call("PUT", `/chats/${NOBODY}@c.us/disappearing`, { seconds: 0 })).toMatchObject(failed(422, "numero_sem_conta"));
  });

  it("loses its messages as a group only if an admin sets that", async () => {
    const group = (await network.call("POST", `/phones/${BIA}/groups`, { subject: "Bia's", participants: [SHOP] })).body.group_id as string;
    await become("in the group", async () => (await chats()).some(({ chat_id }) => chat_id === group));
    const timer = () => shop.api.call("PUT", `/chats/${group}/disappearing`, { seconds: 86_400 });
    await network.call("POST", `/phones/${BIA}/groups/${group}/settings`, { locked: true });
    expect(await timer()).toMatchObject(failed(403, "sem_permissao"));
    await network.call("POST", `/phones/${BIA}/groups/${group}/promote`, { participants: [SHOP] });
    await become("promoted", async () => (await shop.api.get(`/groups/${group}`)).body.data.my_role === "admin");
    expect(await timer()).toMatchObject(done);
    const atBia = async () => (await network.call("GET", `/phones/${BIA}/groups/${group}`)).body.data;
    await become("at the other members'", async () => JSON.stringify(await atBia()).includes("86400"));
  });

  it("has a picture, copied to a link of ours", async () => {
    expect(await shop.api.get(`/chats/${BIA}@c.us/picture`)).toMatchObject(failed(404, "foto_nao_encontrada"));
    await network.call("POST", `/phones/${BIA}/picture`, { base64: PNG.toString("base64") });
    for (const size of ["preview", "full"]) {
      const { status, body } = await shop.api.get(`/chats/${BIA}@c.us/picture?size=${size}`);
      expect([status, body]).toEqual([
        200,
        { data: { url: expect.stringContaining("/api/midia/") as string, expires_at: expect.any(String) as string } },
      ]);
      const file = await fetch(body.data.url as string);
      expect(sha256(new Uint8Array(await file.arrayBuffer()))).toBe(sha256(PNG));
      expect(Date.parse(body.data.expires_at as string)).toBeGreaterThan(Date.now() + DAY_MS);
    }
    expect((await shown())?.["picture_url"]).toContain("/api/midia/");
    expect(await shop.api.get(`/chats/${BIA}@c.us/picture?size=huge`)).toMatchObject(failed(400, "requisicao_invalida"));
  });

  it("shows what the owner does to it on the phone", async () => {
    const patch = (change: object) => network.call("PATCH", `/phones/${SHOP}/chats/${BIA}@c.us`, change);
    const until = Math.floor(Date.now() / 1000) + 7_200;
    await patch({ archived: true, pinned: true, muted_until: until, unread: true });
    await become("all of it", async () => {
      const { archived, pinned, muted_until, marked_unread } = (await shown()) ?? {};
      return archived === true && pinned === true && marked_unread === true && Date.parse(muted_until as string) === until * 1000;
    });
    await patch({ archived: false, pinned: false, muted_until: null, unread: false });
    await become("all of it undone", async () => {
      const { archived, pinned, muted_until, marked_unread } = (await shown()) ?? {};
      return archived === false && pinned === false && marked_unread === false && muted_until === null;
    });
    await network.send(BIA, { to: SHOP, text: "read on the phone" });
    await become("unread", async () => (await shown())?.["unread_count"] === 1);
    await network.call("POST", `/phones/${SHOP}/read`, { chat_id: `${BIA}@c.us` });
    await become("read on the phone", async () => (await shown())?.["unread_count"] === 0);
    expect((await onPhone()).unread_count).toBe(0);
  });

  it("is deleted, and comes back with the next message", async () => {
    expect(await shop.api.call("DELETE", `/chats/${BIA}@c.us`)).toMatchObject(done);
    expect(await shop.api.get(`/chats/${BIA}`)).toMatchObject(failed(404, "conversa_nao_encontrada"));
    await become("deleted on the phone", async () => (await onPhone()).deleted_at !== null);
    expect(await shop.api.call("DELETE", `/chats/${BIA}@c.us`)).toMatchObject(failed(404, "conversa_nao_encontrada"));
    await network.send(BIA, { to: SHOP, text: "back again" });
    await become("back", async () => (await shown())?.["unread_count"] === 1);
    expect((await shop.api.get(`/chats/${BIA}/messages`)).body.data).toMatchObject([{ text: "back again" }]);
  });
});

it("a chat changes nothing, and reports that, while the number is not connected", async () => {
  expect(await post("/instance/disconnect")).toMatchObject(done);
  for (const action of ["seen", "unread", "archive", "unarchive", "pin", "unpin", "mute", "unmute"]) {
    expect(await onChat(action)).toMatchObject(failed(409, "conexao_desconectada"));
  }
  expect(await onChat("typing", { state: "typing" })).toMatchObject(failed(409, "conexao_desconectada"));
  expect(await shop.api.call("PUT", `/chats/${BIA}/disappearing`, { seconds: 0 })).toMatchObject(failed(409, "conexao_desconectada"));
  expect(await shop.api.call("DELETE", `/chats/${BIA}`)).toMatchObject(failed(409, "conexao_desconectada"));
  expect((await shown())?.["archived"]).toBe(false);
});
