// Channels as a customer runs and follows them, and as phones see them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { failed } from "../../support/replies.ts";
import { MP4, PNG, sha256 } from "../../support/sample-files.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const CARLA = "5511900000086";
const NOWHERE = "120363999999999999@newsletter";
const WITHIN_MS = 60_000;

let sandbox: Sandbox;
let api: ReturnType<typeof customer>;
let network: ReturnType<typeof phones>;
let me: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  const ready = sandbox.ready();
  [api, network, me] = [customer(ready), phones(ready), ready.demo.connection.phone!];
  await network.create(CARLA, "Carla");
});
afterAll(() => sandbox.dispose());

type PhoneChannel = {
  channel_id: string;
  name: string;
  role: string;
  muted: boolean;
  picture_sha256: string | null;
  invite_code: string;
  messages: { server_id: string; reactions: { from: string; reaction: string }[] }[];
};
const atPhone = async (id: string, phone = me): Promise<PhoneChannel | undefined> =>
  ((await network.call("GET", `/phones/${phone}/channels`)).body.data as PhoneChannel[]).find(({ channel_id }) => channel_id === id);
const theirs = async (name: string) => (await network.call("POST", `/phones/${CARLA}/channels`, { name })).body.channel_id as string;
const known = async () => (await api.get("/channels")).body.data.map((channel: { channel_id: string }) => channel.channel_id) as string[];

describe("an own channel", () => {
  it("is created with its picture, changed and deleted", async () => {
    const made = await api.call("POST", "/channels", {
      name: "Novidades",
      description: "da loja",
      media: { base64: PNG.toString("base64") },
    });
    expect(made, JSON.stringify(made.body)).toMatchObject({
      status: 200,
      body: {
        data: {
          name: "Novidades",
          description: "da loja",
          role: "owner",
          subscribers: 1,
          muted: false,
          invite_link: expect.stringMatching(/^https:/),
        },
      },
    });
    const { channel_id: id, picture_url } = made.body.data;
    const shown = await atPhone(id);
    expect(shown).toMatchObject({ name: "Novidades", role: "owner" });
    expect(sha256(Buffer.from(await (await fetch(picture_url)).arrayBuffer()))).toBe(shown?.picture_sha256);

    const changed = await api.call("PATCH", `/channels/${id}`, { name: "Mais novidades", description: "" });
    expect(changed).toMatchObject({ status: 200, body: { data: { channel_id: id, name: "Mais novidades", description: null } } });
    expect(await atPhone(id)).toMatchObject({ name: "Mais novidades" });
    expect((await api.get("/channels?role=owner")).body.data).toMatchObject([{ channel_id: id, name: "Mais novidades" }]);

    expect(await api.call("DELETE", `/channels/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await atPhone(id)).toBeUndefined();
    expect(await known()).not.toContain(id);
    expect(await api.get(`/channels/${id}`)).toMatchObject(failed(404, "canal_nao_encontrado"));
  });

  it("publishes text, images and videos, which its followers see", async () => {
    const { channel_id: id } = (await api.call("POST", "/channels", { name: "Ofertas" })).body.data;
    await network.call("POST", `/phones/${CARLA}/channels/${id}/follow`, {});
    const text = await api.call("POST", `/channels/${id}/messages/text`, { text: "hoje só", reference: "oferta 1" });
    expect(text).toMatchObject({
      status: 200,
      body: { chat_id: id, to: null, is_group: false, type: "text", status: "sent", reference: "oferta 1" },
    });
    const image = await api.call("POST", `/channels/${id}/messages/image`, { media: { base64: PNG.toString("base64") }, caption: "olha" });
    expect(image, JSON.stringify(image.body)).toMatchObject({ status: 200, body: { type: "image" } });
    const video = await api.call("POST", `/channels/${id}/messages/video`, {
      media: { base64: MP4.toString("base64"), mimetype: "video/mp4" },
    });
    expect(video, JSON.stringify(video.body)).toMatchObject({ status: 200, body: { type: "video" } });
    for (const [sent, type] of [
      [text, "text"],
      [image, "image"],
      [video, "video"],
    ] as const) {
      await eventually(`the ${type} at a follower's phone`, WITHIN_MS, async () =>
        (await network.inbox(CARLA)).some((message) => message["message_id"] === sent.body.message_id && message["type"] === type),
      );
    }
    const inChannel = (await network.inbox(CARLA)).find((message) => message["message_id"] === image.body.message_id);
    expect(inChannel).toMatchObject({ chat_id: id, text: "olha", media: { sha256: sha256(PNG) } });

    const read = (await api.get(`/channels/${id}/messages`)).body.data;
    expect(read).toMatchObject([
      { type: "video" },
      { type: "image", text: "olha", media: { url: expect.stringContaining("/api/midia/") } },
      { type: "text", text: "hoje só" },
    ]);
    expect((await api.get(`/channels/${id}/messages?limit=1&before=${read[0].server_id}`)).body.data).toMatchObject([
      { server_id: read[1].server_id },
    ]);
    expect(await api.call("POST", `/channels/${id}/messages/text`, { text: "?", chat_id: id })).toMatchObject(
      failed(400, "requisicao_invalida"),
    );
  });
});

describe("somebody else's channel", () => {
  it("is found, followed, muted and left", async () => {
    const id = await theirs("Da Carla");
    const link = (await api.get(`/channels/${id}`)).body.data.invite_link as string;
    expect((await api.get(`/channels/${encodeURIComponent(link)}`)).body.data).toMatchObject({
      channel_id: id,
      name: "Da Carla",
      role: "guest",
    });
    expect((await api.get(`/channels/${link.split("/").at(-1)}`)).body.data).toMatchObject({ channel_id: id });
    expect(await known()).not.toContain(id);

    expect(await api.call("POST", `/channels/${id}/follow`)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await atPhone(id)).toMatchObject({ role: "subscriber", muted: false });
    expect((await api.get("/channels?role=subscriber")).body.data).toMatchObject([{ channel_id: id, name: "Da Carla", muted: false }]);
    expect(await api.call("POST", `/channels/${id}/mute`)).toMatchObject({ status: 200 });
    expect(await atPhone(id)).toMatchObject({ muted: true });
    expect((await api.get(`/channels/${id}`)).body.data.muted).toBe(true);
    expect(await api.call("POST", `/channels/${id}/unmute`)).toMatchObject({ status: 200 });
    expect(await atPhone(id)).toMatchObject({ muted: false });
    expect(await api.call("POST", `/channels/${id}/unfollow`)).toMatchObject({ status: 200 });
    expect(await atPhone(id)).toBeUndefined();
    expect(await known()).not.toContain(id);
  });

  it("shows its messages, and what we react", async () => {
    const id = await theirs("Com reações");
    await api.call("POST", `/channels/${id}/follow`);
    await network.send(CARLA, { chat_id: id, text: "o que acham?" });
    const message = await eventually(
      "the message",
      WITHIN_MS,
      async () => (await api.get(`/channels/${id}/messages`)).body.data[0] as { server_id: number } | undefined,
    );
    expect(message).toMatchObject({
      chat_id: id,
      type: "text",
      text: "o que acham?",
      views: expect.any(Number),
      reactions: {},
      timestamp: expect.any(Number),
    });
    const path = `/channels/${id}/messages/${message.server_id}/reaction`;
    expect(await api.call("PUT", path, { reaction: "👍" })).toMatchObject({ status: 200, body: { ok: true } });
    expect((await atPhone(id))?.messages[0]?.reactions).toEqual([{ from: me, reaction: "👍" }]);
    expect((await api.get(`/channels/${id}/messages`)).body.data[0].reactions).toEqual({ "👍": 1 });
    expect(await api.call("PUT", path, { reaction: "" })).toMatchObject({ status: 200 });
    expect((await atPhone(id))?.messages[0]?.reactions).toEqual([]);
    expect(await api.call("PUT", `/channels/${id}/messages/99999/reaction`, { reaction: "👍" })).toMatchObject(
      failed(404, "mensagem_nao_encontrada"),
    );
    expect(await api.call("PUT", path, { reaction: "not one emoji" })).toMatchObject(failed(400, "requisicao_invalida"));
  });

  it("cannot be written to or changed", async () => {
    const id = await theirs("Só da Carla");
    expect(await api.call("POST", `/channels/${id}/messages/text`, { text: "oi" })).toMatchObject(failed(403, "sem_permissao"));
    expect(await api.call("PATCH", `/channels/${id}`, { name: "Agora é meu" })).toMatchObject(failed(403, "sem_permissao"));
    expect(await api.call("DELETE", `/channels/${id}`)).toMatchObject(failed(403, "sem_permissao"));
    expect(await api.call("POST", `/channels/${id}/mute`)).toMatchObject(failed(403, "sem_permissao"));
  });

  it("is not found if it does not exist", async () => {
    const refused = failed(404, "canal_nao_encontrado");
    expect(await api.get(`/channels/${NOWHERE}`)).toMatchObject(refused);
    expect(await api.get("/channels/no-such-invite-code")).toMatchObject(refused);
    expect(await api.get(`/channels/${NOWHERE}/messages`)).toMatchObject(refused);
    expect(await api.call("POST", `/channels/${NOWHERE}/follow`)).toMatchObject(refused);
    expect(await api.call("PATCH", `/channels/${NOWHERE}`, { name: "?" })).toMatchObject(refused);
    expect(await api.call("POST", `/channels/${NOWHERE}/messages/text`, { text: "?" })).toMatchObject(refused);
    expect(await api.get("/channels/5511900000002@c.us")).toMatchObject(failed(400, "requisicao_invalida"));
  });
});
