import { createHash, randomBytes } from "node:crypto";
import { downloadMediaMessage } from "baileys";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "#root/test-network/control/server.ts";
import { BaileysClient, linkedClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { freshNumber, openWorld, type World } from "./world.ts";

/** A one-pixel picture. */
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

type Answer = {
  status: number;
  body: any;
};

describe("the control API", () => {
  const called = new Set<string>();
  const [ANA, BOB, EVA] = [freshNumber(), freshNumber(), freshNumber()];
  let world: World;
  let ana: BaileysClient;

  /** Makes one call and records its route (`pattern`), so that the last test can list routes never called. */
  const call = async (pattern: string, path: string, body?: unknown): Promise<Answer> => {
    const [method = "GET"] = pattern.split(" ");
    called.add(pattern);
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${world.controlUrl}${path}`, init);
    const type = response.headers.get("content-type") ?? "";
    return { status: response.status, body: type.includes("json") ? await response.json() : Buffer.from(await response.arrayBuffer()) };
  };
  const ok = async (pattern: string, path: string, body?: unknown) => {
    const answer = await call(pattern, path, body);
    expect(answer, `${pattern}: ${JSON.stringify(answer.body)}`).toMatchObject({
      status: expect.toSatisfy((status) => status === 200 || status === 201),
    });
    return answer.body;
  };
  const inbox = async (phone: string, chat?: string): Promise<any[]> =>
    (await ok("GET /phones/:phone/inbox", `/phones/${phone}/inbox${chat ? `?chat_id=${chat}` : ""}`)).data;
  const at = (phone: string, meant: (message: any) => boolean) =>
    eventually(`a message at ${phone}`, 60_000, async () => (await inbox(phone)).find(meant));
  const chatWith = (phone: string) => `${phone}@c.us`;

  beforeAll(async () => {
    // The unmodified client requests a code in a format that a strict network refuses.
    world = await openWorld({ strict: false });
    await ok("POST /phones", "/phones", { phone: ANA, name: "Ana" });
    await ok("POST /phones", "/phones", { phone: BOB, name: "Bob", business: true });
    await ok("POST /phones", "/phones", { phone: EVA });
    ana = await linkedClient(world, (qr) => ok("POST /phones/:phone/scan", `/phones/${ANA}/scan`, { qr }));
  });
  afterAll(async () => {
    await ana.end();
    await world.close();
  });

  it("lists phones with their linked devices, and keeps a phone that is created again", async () => {
    const { data } = await ok("GET /phones", "/phones");
    expect(data).toEqual([
      { phone: ANA, name: "Ana", picture: null, devices: [{ device: 1, platform: expect.any(String) }] },
      { phone: BOB, name: "Bob", picture: null, devices: [] },
      { phone: EVA, name: EVA, picture: null, devices: [] },
    ]);
    expect(await call("POST /phones", "/phones", { phone: ANA, name: "Another" })).toEqual({
      status: 201,
      body: { phone: ANA, name: "Ana" },
    });
    expect((await ok("GET /phones/:phone", `/phones/${ANA}`)).data).toMatchObject({
      options: { receipts: "delivered", online: true, reply: null },
      troubles: [],
    });
  });

  it("leaves closing an idle connection to the client", async () => {
    const { headers } = await fetch(`${world.controlUrl}/phones/${ANA}/inbox`);
    expect(headers.get("keep-alive"), "no time after which the server closes it").toBeNull();
  });

  it("links by code, refuses a wrong one, and unlinks", async () => {
    const client = new BaileysClient(world).connect();
    await client.saw("connection.update", ({ qr }) => qr);
    expect(await call("POST /phones/:phone/code", `/phones/${EVA}/code`, { code: "AAAAAAAA" })).toMatchObject({
      status: 410,
      body: { error: { code: "code_expired" } },
    });
    const code = await client.sock.requestPairingCode(EVA);
    const answer = await eventually("a link", 60_000, async () => {
      const tried = await call("POST /phones/:phone/code", `/phones/${EVA}/code`, { code });
      return tried.status !== 410 && tried;
    });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    await client.ready();
    expect(await ok("POST /phones/:phone/unlink", `/phones/${EVA}/unlink`)).toEqual({ ok: true, unlinked: 1 });
    await eventually("the logout", 60_000, () => client.closes.includes(401));
    expect(await call("POST /phones/:phone/scan", `/phones/${EVA}/scan`, { qr: "2@x,AA,BB,CC,1" })).toMatchObject({
      status: 410,
      body: { error: { code: "qr_expired" } },
    });
  });

  it("sends every type, guesses it where it can, and shows what arrived", async () => {
    const send = (body: object) => ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, ...body });
    const bytes = randomBytes(3_000);
    const media = { base64: bytes.toString("base64"), mimetype: "image/png", filename: "a.png" };
    const guessed: Array<[object, string]> = [
      [{ text: "hello" }, "text"],
      [{ media, caption: "look" }, "image"],
      [{ media: { ...media, mimetype: "application/pdf" } }, "document"],
      [{ media: { ...media, mimetype: "image/webp" } }, "sticker"],
      [{ media: { ...media, mimetype: "video/mp4" } }, "video"],
      [{ media: { ...media, mimetype: "audio/ogg" } }, "audio"],
      [{ type: "voice", media: { ...media, mimetype: "audio/ogg; codecs=opus" } }, "voice"],
      [{ location: { latitude: 1, longitude: 2, name: "Here" } }, "location"],
      [{ contact: { full_name: "Carla", phone: "5511988887777" } }, "contact"],
      [{ poll: { question: "Lunch?", options: ["Pizza", "Sushi"] } }, "poll"],
      [{ list: { title: "Menu", text: "Pick one", button: "Show", rows: [{ id: "row-1", title: "One" }] } }, "list"],
      [{ type: "list_response", selected: { id: "row-1", title: "One" } }, "list_response"],
      [{ type: "button_response", selected: { id: "b-1", title: "Yes" } }, "button_response"],
      [{ media, view_once: true }, "image"],
    ];
    for (const [body, type] of guessed) {
      const { message_id, chat_id } = await send(body);
      expect(chat_id).toBe(chatWith(ANA));
      const shown = await at(ANA, (message) => message.message_id === message_id);
      expect(shown.type).toBe(type);
      expect(shown.media?.sha256 ?? null).toBe("media" in body ? createHash("sha256").update(bytes).digest("hex") : null);
      await ana.message(message_id);
    }
    const { message_id: withheld } = await send({ text: "from an advertisement", withheld: "ad" });
    await at(ANA, (message) => message.message_id === withheld);
    const stub = await ana.saw("messages.upsert", ({ messages }) => messages.find(({ key, message }) => key.id === withheld && !message));
    expect(stub.messageStubParameters).toEqual(["Message absent from node"]);
    const image = await at(ANA, (message) => message.text === "look");
    expect(await ok("GET /phones/:phone/inbox/:message/media", `/phones/${ANA}/inbox/${image.message_id}/media`)).toEqual(bytes);
    expect((await downloadMediaMessage(await ana.message(image.message_id), "buffer", {})).equals(bytes)).toBe(true);
    expect(image).not.toHaveProperty("wire");
    await ok("POST /phones/:phone/inbox/:message/expire-media", `/phones/${ANA}/inbox/${image.message_id}/expire-media`);
    await expect(downloadMediaMessage(await ana.message(image.message_id), "buffer", {})).rejects.toThrow(/fetch/);
    expect(await call("GET /phones/:phone/inbox/:message/media", `/phones/${ANA}/inbox/NONE/media`)).toMatchObject({ status: 404 });
  });

  it("changes messages, and tells the outcome", async () => {
    const { message_id } = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { chat_id: chatWith(ANA), text: "first" });
    const target = { chat_id: chatWith(ANA), message_id };
    const quote = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, text: "quoting", quoted_id: message_id });
    expect((await at(ANA, (message) => message.message_id === quote.message_id)).quoted_id).toBe(message_id);
    await ok("POST /phones/:phone/react", `/phones/${BOB}/react`, { ...target, reaction: "👍" });
    await at(ANA, (message) => message.message_id === message_id && message.reactions[0]?.reaction === "👍");
    await ok("POST /phones/:phone/pin", `/phones/${BOB}/pin`, target);
    await at(ANA, (message) => message.message_id === message_id && message.pinned);
    await ok("POST /phones/:phone/edit", `/phones/${BOB}/edit`, { ...target, text: "second" });
    await at(ANA, (message) => message.message_id === message_id && message.edited && message.text === "second");
    await ok("POST /phones/:phone/star", `/phones/${ANA}/star`, { chat_id: chatWith(BOB), message_id });
    await at(ANA, (message) => message.message_id === message_id && message.starred);
    await ok("POST /phones/:phone/delete", `/phones/${BOB}/delete`, target);
    await at(ANA, (message) => message.message_id === message_id && message.deleted);
    const poll = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, poll: { question: "?", options: ["A", "B"] } });
    await at(ANA, (message) => message.message_id === poll.message_id);
    await ok("POST /phones/:phone/vote", `/phones/${ANA}/vote`, { chat_id: chatWith(BOB), message_id: poll.message_id, options: ["B"] });
    await at(BOB, (message) => message.message_id === poll.message_id && message.poll_votes[0]?.options[0] === "B");
    expect(
      await call("POST /phones/:phone/event-answer", `/phones/${ANA}/event-answer`, {
        chat_id: chatWith(BOB),
        message_id: poll.message_id,
        coming: true,
      }),
    ).toMatchObject({ status: 422, body: { error: { code: "not_an_event" } } });
    expect(await call("POST /phones/:phone/edit", `/phones/${BOB}/edit`, { ...target, message_id: "NONE", text: "x" })).toMatchObject({
      status: 404,
      body: { error: { code: "message_not_found" } },
    });

    const voice = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, {
      to: ANA,
      type: "voice",
      media: { base64: "AAAA", mimetype: "audio/ogg" },
    });
    await at(ANA, (message) => message.message_id === voice.message_id);
    expect((await ok("POST /phones/:phone/read", `/phones/${ANA}/read`, { chat_id: chatWith(BOB) })).read).toBeGreaterThan(0);
    expect((await ok("POST /phones/:phone/played", `/phones/${ANA}/played`, { chat_id: chatWith(BOB) })).played).toBeGreaterThan(0);
    await eventually("the receipts", 60_000, async () => {
      const { data } = await ok("GET /phones/:phone/receipts", `/phones/${BOB}/receipts?message_id=${voice.message_id}`);
      return ["delivered", "read", "played"].every((kind) => data.some((receipt: any) => receipt.kind === kind && receipt.from === ANA));
    });
    await at(BOB, (message) => message.message_id === voice.message_id && message.status === "played");
  });

  it("applies a phone's options", async () => {
    const options = (body: object) => ok("PATCH /phones/:phone", `/phones/${EVA}`, body);
    expect(await options({ receipts: "read", reply: "echo", name: "Eco", about: "an echo" })).toMatchObject({
      name: "Eco",
      receipts: "read",
      reply: "echo",
      online: true,
    });
    const { message_id } = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: EVA, text: "oi" });
    await at(BOB, (message) => message.text === "oi" && !message.from_me);
    await at(BOB, (message) => message.message_id === message_id && message.status === "read");
    await options({ receipts: "none", reply: null, online: false });
    const unseen = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: EVA, text: "are you off?" });
    expect(await call("POST /phones/:phone/send", `/phones/${EVA}/send`, { to: BOB, text: "no" })).toMatchObject({
      status: 409,
      body: { error: { code: "phone_offline" } },
    });
    await options({ online: true });
    await at(EVA, (message) => message.message_id === unseen.message_id);
    expect((await inbox(BOB)).find((message) => message.message_id === unseen.message_id)?.status).toBe("sent");
    await options({ receipts: "delivered" });
  });

  it("shows presence, places calls and lists them", async () => {
    const presence = async () => (await ok("GET /phones/:phone/presence", `/phones/${ANA}/presence?chat_id=${chatWith(BOB)}`)).data;
    await presence();
    await ok("POST /phones/:phone/presence", `/phones/${BOB}/presence`, { presence: "online" });
    await ok("POST /phones/:phone/presence", `/phones/${BOB}/presence`, { presence: "typing", chat_id: chatWith(ANA) });
    await eventually("typing", 60_000, async () => {
      const { online, doing } = await presence();
      return online === true && doing[BOB] === "typing";
    });
    const calls = async (phone: string): Promise<any[]> => (await ok("GET /phones/:phone/calls", `/phones/${phone}/calls`)).data;
    const ring = async () => (await ok("POST /phones/:phone/call", `/phones/${BOB}/call`, { to: ANA, video: true })).call_id;
    const [ended, missed, taken, refused, rejected] = [await ring(), await ring(), await ring(), await ring(), await ring()];
    await eventually("five calls ring", 60_000, async () => (await calls(ANA)).length === 5);
    await ok("POST /phones/:phone/calls/:call/end", `/phones/${BOB}/calls/${ended}/end`);
    await ok("POST /phones/:phone/calls/:call/timeout", `/phones/${BOB}/calls/${missed}/timeout`);
    await ok("POST /phones/:phone/calls/:call/accept", `/phones/${ANA}/calls/${taken}/accept`);
    await ok("POST /phones/:phone/calls/:call/reject", `/phones/${ANA}/calls/${refused}/reject`);
    const offer = await ana.saw("call", (list) => list.find(({ id, status }) => id === rejected && status === "offer"));
    await ana.sock.rejectCall(offer.id, offer.from);
    await eventually("what became of them", 60_000, async () => {
      const status = Object.fromEntries((await calls(BOB)).map((one) => [one.call_id, one.status]));
      return (
        status[ended] === "ended" &&
        status[missed] === "ended" &&
        status[taken] === "accepted" &&
        status[refused] === "rejected" &&
        status[rejected] === "rejected"
      );
    });
    expect(await call("POST /phones/:phone/calls/:call/end", `/phones/${BOB}/calls/${ended}/end`)).toMatchObject({ status: 409 });
  });

  it("runs groups and channels", async () => {
    const { group_id: group } = await ok("POST /phones/:phone/groups", `/phones/${BOB}/groups`, { subject: "Team", participants: [ANA] });
    const change = (name: string, by: string, body?: object) =>
      ok(`POST /phones/:phone/groups/:group/${name}`, `/phones/${by}/groups/${group}/${name}`, body);
    const view = async () => (await ok("GET /phones/:phone/groups/:group", `/phones/${BOB}/groups/${group}`)).data;
    await change("subject", BOB, { subject: "Team 2" });
    await change("description", BOB, { description: "All of us" });
    await change("picture", BOB, { base64: Buffer.from("a picture").toString("base64") });
    expect((await view()).picture_sha256).toBe(createHash("sha256").update("a picture").digest("hex"));
    await change("picture", BOB, { base64: null });
    expect((await view()).picture_sha256).toBeNull();
    await change("settings", BOB, {
      announce: true,
      join_approval: true,
      disappearing_seconds: 86_400,
      member_add_mode: "all_member_add",
      locked: true,
    });
    expect(await view()).toMatchObject({
      subject: "Team 2",
      description: "All of us",
      announce: true,
      locked: true,
      join_approval: true,
      disappearing_seconds: 86_400,
    });
    const community = { parent: "120363000000000077@g.us", announcements: true, hides_members: true };
    for (const given of [community, null]) {
      await change("settings", BOB, { community: given });
      expect(world.network.groups.get(group)?.community ?? null).toEqual(given);
    }
    const { invite_code } = await view();
    expect(
      await ok("POST /phones/:phone/groups/join", `/phones/${EVA}/groups/join`, { invite_code: `https://invite.example/${invite_code}` }),
    ).toMatchObject({ pending: true });
    await change("requests/reject", BOB, { participants: [EVA] });
    await ok("POST /phones/:phone/groups/join", `/phones/${EVA}/groups/join`, { invite_code });
    await change("requests/approve", BOB, { participants: [EVA] });
    await change("promote", BOB, { participants: [EVA] });
    await change("demote", BOB, { participants: [EVA] });
    expect((await view()).participants).toContainEqual({ phone: EVA, role: "member" });
    expect(
      await call("POST /phones/:phone/groups/:group/subject", `/phones/${EVA}/groups/${group}/subject`, { subject: "Mine" }),
    ).toMatchObject({ status: 403, body: { error: { code: "group_refused" } } });
    expect((await change("remove", BOB, { participants: [EVA] })).data).toEqual([{ phone: EVA, status: "200" }]);
    await change("add", BOB, { participants: [EVA] });
    expect((await ok("GET /phones/:phone/groups", `/phones/${EVA}/groups`)).data.map((one: any) => one.group_id)).toEqual([group]);
    await change("leave", EVA);
    expect((await view()).participants.map((one: any) => one.phone)).toEqual([BOB, ANA]);
    expect(await call("GET /phones/:phone/groups/:group", `/phones/${BOB}/groups/1@g.us`)).toMatchObject({ status: 404 });

    const { channel_id: channel } = await ok("POST /phones/:phone/channels", `/phones/${BOB}/channels`, { name: "News" });
    await ok("POST /phones/:phone/channels/:channel/follow", `/phones/${ANA}/channels/${channel}/follow`, {});
    await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { chat_id: channel, text: "extra" });
    await at(ANA, (message) => message.chat_id === channel && message.text === "extra");
    expect((await ok("GET /phones/:phone/channels", `/phones/${ANA}/channels`)).data).toMatchObject([
      { channel_id: channel, name: "News", role: "subscriber" },
    ]);
  });

  it("keeps labels, chats, contacts, blocks, privacy settings and pictures", async () => {
    const labelled = { chat_id: chatWith(BOB), labelled: true };
    await ok("POST /phones/:phone/labels", `/phones/${ANA}/labels`, { label_id: "4", name: "VIP", color: 1 });
    await ok("POST /phones/:phone/labels/:label/chats", `/phones/${ANA}/labels/4/chats`, labelled);
    expect((await ok("GET /phones/:phone/labels", `/phones/${ANA}/labels`)).data).toEqual([
      { label_id: "4", name: "VIP", color: 1, deleted: false, chats: [chatWith(BOB)] },
    ]);
    expect(await call("POST /phones/:phone/labels/:label/chats", `/phones/${ANA}/labels/99/chats`, labelled)).toMatchObject({
      status: 404,
    });
    const change = { archived: true, pinned: true, muted_until: 2_000_000_000, unread: true };
    expect((await ok("PATCH /phones/:phone/chats/:chat", `/phones/${ANA}/chats/${BOB}`, change)).data).toMatchObject({
      archived: true,
      pinned: true,
      muted_until: 2_000_000_000,
      marked_unread: true,
      labels: ["4"],
    });
    expect((await ok("GET /phones/:phone/chats/:chat", `/phones/${ANA}/chats/${chatWith(BOB)}`)).data).toMatchObject({ archived: true });
    expect((await ok("GET /phones/:phone/chats", `/phones/${ANA}/chats`)).data.map((one: any) => one.chat_id)).toContain(chatWith(BOB));
    await ok("PATCH /phones/:phone/contacts/:person", `/phones/${ANA}/contacts/${BOB}`, { full_name: "Bob the baker" });
    await ok("POST /phones/:phone/picture", `/phones/${BOB}/picture`, { base64: Buffer.from("a picture").toString("base64") });
    expect((await ok("GET /phones/:phone/contacts/:person", `/phones/${ANA}/contacts/${BOB}`)).data).toMatchObject({
      full_name: "Bob the baker",
      push_name: "Bob",
      business: true,
      picture_sha256: expect.any(String),
    });
    expect((await ok("GET /phones/:phone/contacts", `/phones/${ANA}/contacts`)).data.length).toBeGreaterThan(0);
    await ok("POST /phones/:phone/blocked", `/phones/${ANA}/blocked`, { phone: EVA });
    expect((await ok("GET /phones/:phone/blocked", `/phones/${ANA}/blocked`)).data).toEqual([EVA]);
    await ok("POST /phones/:phone/blocked", `/phones/${ANA}/blocked`, { phone: EVA, blocked: false });
    const privacy = `/phones/${ANA}/privacy`;
    expect((await ok("PATCH /phones/:phone/privacy", privacy, { last: "none", calladd: "known" })).data).toMatchObject({
      calladd: "known",
    });
    expect((await call("PATCH /phones/:phone/privacy", privacy, { last: "known" })).status).toBe(400);
    expect((await ok("GET /phones/:phone/privacy", privacy)).data).toMatchObject({ last: "none", calladd: "known", online: "all" });
    await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { chat_id: "status@broadcast", text: "on holiday", audience: [ANA] });
    await eventually("the status post", 60_000, async () =>
      (await ok("GET /phones/:phone/statuses", `/phones/${ANA}/statuses`)).data.some((one: any) => one.text === "on holiday"),
    );
    const lines = { chat_id: EVA, messages: [{ text: "long ago", timestamp: 1_600_000_000 }] };
    expect((await ok("POST /phones/:phone/history", `/phones/${BOB}/history`, lines)).message_ids).toHaveLength(1);
    expect((await inbox(BOB, chatWith(EVA)))[0]).toMatchObject({ text: "long ago", timestamp: 1_600_000_000 });
  });

  it("adds faults and ends them", async () => {
    expect(await ok("POST /phones/:phone/forget-sessions", `/phones/${BOB}/forget-sessions`, { phone: ANA })).toEqual({
      ok: true,
      devices: 2,
    });
    await ok("POST /faults", "/faults", { phone: ANA, kind: "hold" });
    const held = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, text: "held" });
    await at(ANA, (message) => message.message_id === held.message_id);
    expect(ana.messages().some(({ key }) => key.id === held.message_id)).toBe(false);
    await ok("POST /faults", "/faults", { phone: ANA, kind: "release" });
    await ana.message(held.message_id);
    await ok("POST /faults", "/faults", { phone: ANA, kind: "refuse_send", code: 463, times: 3 });
    expect((await ok("GET /faults", "/faults")).data).toEqual([{ phone: ANA, kind: "refuse_send", code: 463, times: 3 }]);
    await ok("DELETE /faults", "/faults");
    expect((await ok("GET /faults", "/faults")).data).toEqual([]);
    await ok("POST /media-host", "/media-host", { trouble: { kind: "down" } });
    const media = { base64: Buffer.from("bytes").toString("base64"), mimetype: "text/plain" };
    const lie = { ...media, direct_path: "/v/elsewhere", unhashed: true };
    const lost = await ana.message((await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, media })).message_id);
    await expect(downloadMediaMessage(lost, "buffer", {})).rejects.toMatchObject({ output: { statusCode: 503 } });
    await ok("POST /media-host", "/media-host", { trouble: null });
    expect((await downloadMediaMessage(lost, "buffer", {})).toString()).toBe("bytes");
    const lied = await ana.message((await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, media: lie })).message_id);
    expect(lied.message?.documentMessage).toMatchObject({ directPath: "/v/elsewhere", fileSha256: null });
    expect(await ok("GET /network", "/network")).toMatchObject({
      ws_url: expect.stringMatching(/^ws:/),
      ca_pem: expect.stringMatching(/BEGIN CERTIFICATE/),
    });
    expect(await ok("GET /stats", "/stats")).toMatchObject({
      decrypted_by_server: 0,
      relayed: expect.any(Number),
      sockets: 1,
      phones: { [BOB]: { sent: expect.any(Number) } },
    });
  });

  it("streams which part of a phone has changed, and of that phone alone", async () => {
    const ivo = freshNumber();
    await ok("POST /phones", "/phones", { phone: ivo, name: "Ivo" });
    called.add("GET /phones/:phone/events");
    const events = await watch(`${world.controlUrl}/phones/${ivo}/events`);
    await events.saw("ready");
    const { message_id } = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ivo, text: "news" });
    await events.saw(`changed {"part":"messages","chat_id":"${chatWith(BOB)}"}`);
    await events.saw('changed {"part":"chats"}');
    expect((await inbox(ivo))[0]).toMatchObject({ message_id, text: "news" });
    const own = { chat_id: chatWith(BOB), text: "thanks" };
    await ok("POST /phones/:phone/send", `/phones/${ivo}/send`, own);
    events.forget();
    await ok("POST /phones/:phone/react", `/phones/${BOB}/react`, { chat_id: chatWith(ivo), message_id, reaction: "👍" });
    await events.saw(`changed {"part":"messages","chat_id":"${chatWith(BOB)}"}`);
    await ok("POST /phones/:phone/presence", `/phones/${BOB}/presence`, { presence: "typing", chat_id: chatWith(ivo) });
    await events.saw('changed {"part":"presence"}');
    await ok("POST /phones/:phone/call", `/phones/${BOB}/call`, { to: ivo });
    await events.saw('changed {"part":"calls"}');
    await ok("POST /phones/:phone/groups", `/phones/${BOB}/groups`, { subject: "With Ivo", participants: [ivo] });
    await events.saw('changed {"part":"groups"}');
    events.forget();
    await ok("PATCH /phones/:phone", `/phones/${ivo}`, { online: false });
    await events.saw('changed {"part":"phone"}');
    events.forget();
    await ok("POST /faults", "/faults", { phone: ivo, kind: "hold" });
    await events.saw('changed {"part":"phone"}');
    expect((await ok("GET /phones/:phone", `/phones/${ivo}`)).data.faults).toMatchObject([{ kind: "hold" }]);
    events.forget();
    await ok("DELETE /faults", `/faults?phone=${ivo}`);
    await events.saw('changed {"part":"phone"}');
    events.forget();
    await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: EVA, text: "for Eva" });
    await at(EVA, (message) => message.text === "for Eva");
    await ok("POST /phones/:phone/picture", `/phones/${EVA}/picture`, { base64: null });
    await events.saw('changed {"part":"people"}');
    expect(events.seen().filter((event) => !event.includes("people"))).toEqual([]);
    events.end();
  });

  it("shows linked devices when they come, ask for a code and go, and unlinks one of two", async () => {
    const ida = freshNumber();
    await ok("POST /phones", "/phones", { phone: ida, name: "Ida" });
    const events = await watch(`${world.controlUrl}/phones/${ida}/events`);
    const view = async () => (await ok("GET /phones/:phone", `/phones/${ida}`)).data;
    const link = () => linkedClient(world, (qr) => ok("POST /phones/:phone/scan", `/phones/${ida}/scan`, { qr }));
    const [first, second] = [await link(), await link()];
    expect((await view()).devices).toMatchObject([
      { device: 1, online: true },
      { device: 2, online: true },
    ]);
    events.forget();
    expect(await ok("POST /phones/:phone/unlink", `/phones/${ida}/unlink`, { device: 1 })).toEqual({ ok: true, unlinked: 1 });
    await eventually("the logout", 60_000, () => first.closes.includes(401));
    await events.saw('changed {"part":"phone"}');
    expect((await view()).devices).toMatchObject([{ device: 2, online: true }]);
    events.forget();
    await second.end();
    await events.saw('changed {"part":"phone"}');
    await eventually("offline", 60_000, async () => (await view()).devices[0].online === false);
    const third = new BaileysClient(world).connect();
    await third.saw("connection.update", ({ qr }) => qr);
    expect((await view()).code_requested).toBe(false);
    events.forget();
    await third.sock.requestPairingCode(ida);
    await events.saw('changed {"part":"phone"}');
    expect((await view()).code_requested).toBe(true);
    await third.end();
    await eventually("the request is gone", 60_000, async () => (await view()).code_requested === false);
    events.end();
  });

  it("serves files and pictures with their type, and those a browser could run only as downloads", async () => {
    const typeOf = async (path: string) => (await fetch(`${world.controlUrl}/phones/${ANA}${path}`)).headers;
    const send = async (mimetype: string, type?: string) => {
      const media = { base64: PNG.toString("base64"), mimetype, filename: "é.svg", seconds: 7 };
      const { message_id } = await ok("POST /phones/:phone/send", `/phones/${BOB}/send`, { to: ANA, type, media });
      const { media: shown } = await at(ANA, (message) => message.message_id === message_id);
      return { seconds: shown.seconds, headers: await typeOf(`/inbox/${message_id}/media`) };
    };
    expect((await send("image/png")).headers.get("content-type")).toBe("image/png");
    const voice = await send("audio/ogg; codecs=opus", "voice");
    expect([voice.seconds, voice.headers.get("content-type")]).toEqual([7, "audio/ogg; codecs=opus"]);
    for (const mimetype of ["image/svg+xml", "text/html", "application/pdf"]) {
      const { headers } = await send(mimetype, "document");
      expect(headers.get("content-type")).toBe("application/octet-stream");
      expect(headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''%C3%A9.svg");
    }
    await ok("POST /phones/:phone/picture", `/phones/${BOB}/picture`, { base64: PNG.toString("base64") });
    expect((await typeOf(`/contacts/${BOB}/picture`)).get("content-type")).toBe("image/png");
    expect(await ok("GET /phones/:phone/contacts/:person/picture", `/phones/${ANA}/contacts/${BOB}/picture`)).toEqual(PNG);
    expect((await call("GET /phones/:phone/contacts/:person/picture", `/phones/${ANA}/contacts/${EVA}/picture`)).status).toBe(404);
    const { group_id: group } = await ok("POST /phones/:phone/groups", `/phones/${BOB}/groups`, { subject: "Seen", participants: [ANA] });
    const picture = `/phones/${ANA}/groups/${group}/picture`;
    expect((await call("GET /phones/:phone/groups/:group/picture", picture)).status).toBe(404);
    await ok("POST /phones/:phone/groups/:group/picture", `/phones/${BOB}/groups/${group}/picture`, { base64: PNG.toString("base64") });
    expect(await ok("GET /phones/:phone/groups/:group/picture", picture)).toEqual(PNG);
  });

  it("returns the newest messages of a chat, and the chat's title", async () => {
    const lia = freshNumber();
    await ok("POST /phones", "/phones", { phone: lia, name: "Lia" });
    for (const text of ["one", "two", "three"]) await ok("POST /phones/:phone/send", `/phones/${lia}/send`, { to: EVA, text });
    const newest = await ok("GET /phones/:phone/inbox", `/phones/${lia}/inbox?chat_id=${chatWith(EVA)}&limit=2`);
    expect(newest.data.map((message: any) => message.text)).toEqual(["two", "three"]);
    await at(EVA, (message) => message.text === "three");
    const title = async () => (await ok("GET /phones/:phone/chats/:chat", `/phones/${EVA}/chats/${lia}`)).data.title;
    expect(await title()).toBe("Lia");
    await ok("PATCH /phones/:phone/contacts/:person", `/phones/${EVA}/contacts/${lia}`, { full_name: "Lia, of the bakery" });
    expect(await title()).toBe("Lia, of the bakery");
    const { group_id } = await ok("POST /phones/:phone/groups", `/phones/${lia}/groups`, { subject: "Bakery", participants: [EVA] });
    expect((await ok("GET /phones/:phone/chats/:chat", `/phones/${EVA}/chats/${group_id}`)).data.title).toBe("Bakery");
  });

  it.each([
    ["POST", "/phones", { phone: "12", name: "x" }, 400],
    ["POST", "/phones", { name: "x" }, 400],
    ["POST", "/faults", { phone: "ANA", kind: "explode" }, 400],
    ["POST", "/faults", { phone: "ANA", kind: "close", code: 404 }, 400],
    ["POST", "/faults", { phone: "ANA", kind: "delay" }, 400],
    ["POST", "/faults", { phone: "5599000000000", kind: "hold" }, 404],
    ["POST", "/phones/ANA/send", { text: "to nobody" }, 400],
    ["POST", "/phones/ANA/send", { to: "BOB", chat_id: "BOB@c.us", text: "to both" }, 400],
    ["POST", "/phones/ANA/send", { to: "BOB", type: "image" }, 400],
    ["POST", "/phones/ANA/send", { to: "BOB", media: { base64: "%%", mimetype: "image/png" } }, 400],
    ["POST", "/phones/ANA/send", { to: "5599000000000", text: "?" }, 404],
    ["POST", "/phones/ANA/presence", { presence: "typing" }, 400],
    ["PATCH", "/phones/ANA", { receipts: "maybe" }, 400],
    ["POST", "/phones/ANA/call", { to: "5599000000000" }, 404],
    ["POST", "/phones/ANA/labels", { label_id: "x", name: "x", color: 1 }, 400],
    ["GET", "/phones/5599000000000/inbox", undefined, 404],
    ["GET", "/nowhere", undefined, 404],
    ["GET", "/phones/ANA/presence", undefined, 400],
    ["GET", "/phones/ANA/inbox?limit=few", undefined, 400],
    ["GET", "/phones/5599000000000/events", undefined, 404],
    ["POST", "/phones/ANA/unlink", { device: 0 }, 400],
    ["GET", "/phones/%ZZ/inbox", undefined, 404],
    ["POST", "/phones", "not json", 400],
    ["PATCH", "/phones/ANA/chats/not-a-chat", {}, 400],
    ["GET", "/phones/ANA/contacts/5599000000000", undefined, 404],
  ])("%s %s %j answers %i with a code and a message", async (method, path, body, status) => {
    const named = (text: string) => text.replaceAll("ANA", ANA).replaceAll("BOB", BOB);
    const init = body === undefined ? { method } : { method, body: body === "not json" ? "{" : named(JSON.stringify(body)) };
    const response = await fetch(`${world.controlUrl}${named(path)}`, init);
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: { code: expect.any(String), message: expect.any(String) } },
    ]);
  });

  it("answers programs on this machine only", async () => {
    const asked = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        httpRequest(`${world.controlUrl}/phones`, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    expect(await asked({})).toBe(200);
    expect(await asked({ host: "rebound.example:80" })).toBe(403);
    expect(await asked({ origin: "https://evil.example" })).toBe(403);
    expect(await asked({ origin: "null" })).toBe(403);
    expect(await asked({ origin: world.controlUrl })).toBe(200);
  });

  it("serves the page of the phones, by the policy of the dashboard", async () => {
    called.add("GET /");
    const response = await fetch(`${world.controlUrl}/`);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self';");
    const script = /src="(\/assets\/index-[\w-]+\.js)"/.exec(await response.text())?.[1] ?? "";
    expect((await fetch(`${world.controlUrl}${script}`)).headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect((await fetch(`${world.controlUrl}/assets/../../package.json`)).status).toBe(404);
  });

  it("refuses upgrades, and says which clients are too old", async () => {
    const open = { refused_upgrades: null, min_version: null, stale: "refused", served_version: null };
    const closed = {
      refused_upgrades: { status: 503, times: 2 },
      min_version: "2.3000.1",
      stale: "unlinkable",
      served_version: "2.3000.2",
    };
    expect(await ok("PATCH /network", "/network", { ...closed, refused_upgrades: { times: 2 } })).toEqual(closed);
    expect(world.network.access.upgrades).toEqual(closed.refused_upgrades);
    expect(await (await fetch(new URL("/sw.js", world.wsUrl.replace("ws:", "http:")))).text()).toContain('client_revision\\":2,');
    expect(await ok("PATCH /network", "/network", open)).toEqual(open);
    expect(await call("PATCH /network", "/network", { min_version: "new" })).toMatchObject({ status: 400 });
  });

  it("recycles lines that owe an ack, and changes how a number is addressed", async () => {
    expect(await ok("POST /phones/:phone/recycle", `/phones/${ANA}/recycle`)).toEqual({ ok: true, recycled: expect.any(Number) });
    await ok("PATCH /phones/:phone", `/phones/${ANA}`, { lid_only: true });
    expect(world.network.directory.account(ANA)?.lidOnly).toBe(true);
    await ok("PATCH /phones/:phone", `/phones/${ANA}`, { lid_only: false });
    expect(world.network.directory.account(ANA)?.lidOnly).toBe(false);
    await ok("PATCH /phones/:phone", `/phones/${ANA}`, { needs_token: true });
    expect(world.network.directory.account(ANA)?.needsToken).toBe(true);
    await ok("PATCH /phones/:phone", `/phones/${ANA}`, { needs_token: false });
    await ok("PATCH /phones/:phone", `/phones/${ANA}`, { phone_only: true, hides_number: true });
    expect(world.network.directory.account(ANA)).toMatchObject({ phoneOnly: true, hidesNumber: true, moved: false });
    await ok("PATCH /phones/:phone", `/phones/${ANA}`, { phone_only: false, hides_number: false });
    expect(world.network.directory.account(ANA)).toMatchObject({ phoneOnly: false, hidesNumber: false, moved: true });
  });

  it("has no route that these tests do not call", () => {
    // The cloud network's routes are called in test/bridge/cloud.
    const own = routes.filter(({ path }) => !path.startsWith("/cloud/"));
    expect(own.map(({ method, path }) => `${method} ${path}`).filter((route) => !called.has(route))).toEqual([]);
  });
});

/** Server-sent events as received, each as `name data`. */
async function watch(url: string) {
  const ending = new AbortController();
  const response = await fetch(url, { signal: ending.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  let forgotten = 0;
  const seen = () =>
    text
      .slice(0, text.lastIndexOf("\n\n"))
      .split("\n\n")
      .flatMap((block) => [/^event: (.*)$/m.exec(block)?.[1] ?? []].flat().map((name) => `${name} ${/^data: (.*)$/m.exec(block)?.[1]}`))
      .slice(forgotten);
  void (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  return {
    seen,
    /** Ignores everything received so far. */
    forget: () => {
      forgotten += seen().length;
    },
    saw: (wanted: string) => eventually(`the event ${wanted}`, 60_000, () => seen().some((event) => event.startsWith(wanted))),
    end: () => ending.abort(),
  };
}
