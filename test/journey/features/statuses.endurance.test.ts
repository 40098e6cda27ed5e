// Status posts as a customer creates and reads them, and as phones see them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, customer, person, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { failed } from "../../support/replies.ts";
import { MP4, PNG, sha256 } from "../../support/sample-files.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const BIA = "5511900000087";
const CARLA = "5511900000088";
const NOBODY = "5511900009999";
const WITHIN_MS = 60_000;
/** The start of any voice note. */
const OGG = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(24), Buffer.from("OpusHead\x01"), Buffer.alloc(64)]);

let sandbox: Sandbox;
let api: ReturnType<typeof customer>;
let network: ReturnType<typeof phones>;
let me: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  const ready = sandbox.ready();
  [api, network, me] = [customer(ready), phones(ready), ready.demo.connection.phone!];
  await network.create(BIA, "Bia");
  await network.create(CARLA, "Carla");
});
afterAll(() => sandbox.dispose());

type Post = {
  message_id: string;
  from: string;
  type: string;
  text: string | null;
  style: { background: string; font: number } | null;
  media: { sha256: string } | null;
  deleted: boolean;
};
const posts = async (phone: string): Promise<Post[]> => (await network.call("GET", `/phones/${phone}/statuses`)).body.data;
const seen = (phone: string, id: string, as: (post: Post) => boolean = () => true) =>
  eventually(`post ${id} at ${phone}`, WITHIN_MS, async () => (await posts(phone)).find((post) => post.message_id === id && as(post)));
const sent = (type: string) => ({
  status: 200,
  body: { message_id: expect.any(String) as unknown, chat_id: "status@broadcast", to: null, is_group: false, type, status: "sent" },
});

describe("a status post", () => {
  it("in words goes to saved contacts, with its colours", async () => {
    await api.call("PUT", `/contacts/${BIA}`, { full_name: "Bia" });
    const posted = await api.call("POST", "/status/text", { text: "aberto hoje", background_color: "#112233", font: 3 });
    expect(posted, JSON.stringify(posted.body)).toMatchObject(sent("text"));
    const id = posted.body.message_id as string;
    const post = await seen(BIA, id);
    expect(post).toMatchObject({ from: me, type: "text", text: "aberto hoje", style: { font: 3 } });
    expect(post.style?.background.toLowerCase()).toBe("#ff112233");
    await seen(me, id);
    expect((await posts(CARLA)).some((one) => one.message_id === id)).toBe(false);
    // A status post is not part of any chat.
    expect((await api.get("/chats")).body.data.some((chat: { chat_id: string }) => chat.chat_id === "status@broadcast")).toBe(false);
  });

  it("with a picture, a video or a voice goes to the named people", async () => {
    const recipients = [CARLA, NOBODY];
    const image = await api.call("POST", "/status/image", { media: { base64: PNG.toString("base64") }, caption: "vitrine", recipients });
    expect(image, JSON.stringify(image.body)).toMatchObject(sent("image"));
    expect(await seen(CARLA, image.body.message_id)).toMatchObject({ text: "vitrine", media: { sha256: sha256(PNG) } });
    const video = await api.call("POST", "/status/video", { media: { base64: MP4.toString("base64"), mimetype: "video/mp4" }, recipients });
    expect(video, JSON.stringify(video.body)).toMatchObject(sent("video"));
    expect(await seen(CARLA, video.body.message_id)).toMatchObject({ type: "video", media: { sha256: sha256(MP4) } });
    const voice = await api.call("POST", "/status/voice", {
      media: { base64: OGG.toString("base64") },
      background_color: "#00AA00",
      recipients,
    });
    expect(voice, JSON.stringify(voice.body)).toMatchObject(sent("voice"));
    expect(await seen(CARLA, voice.body.message_id)).toMatchObject({
      type: "voice",
      style: { background: expect.stringMatching(/^#ff00aa00$/i) },
    });
    for (const { body } of [image, video, voice])
      expect((await posts(BIA)).some((post) => post.message_id === body.message_id)).toBe(false);
  });

  it("is deleted for everyone who could see it", async () => {
    const { message_id: id } = (await api.call("POST", "/status/text", { text: "engano", recipients: [BIA] })).body;
    await seen(BIA, id);
    expect(await api.call("DELETE", `/status/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
    await seen(BIA, id, ({ deleted }) => deleted);
    expect(await api.call("DELETE", `/status/${id}`)).toMatchObject(failed(404, "mensagem_nao_encontrada"));
    expect(await api.call("DELETE", "/status/3EB0NOTAPOST")).toMatchObject(failed(404, "mensagem_nao_encontrada"));
  });

  it("is refused for invalid content", async () => {
    expect(await api.call("POST", "/status/text", { text: "x".repeat(701) })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await api.call("POST", "/status/text", { text: "oi", background_color: "verde" })).toMatchObject(
      failed(400, "requisicao_invalida"),
    );
    expect(await api.call("POST", "/status/text", { text: "oi", font: 10 })).toMatchObject(failed(400, "requisicao_invalida"));
    expect(await api.call("POST", "/status/text", { text: "oi", recipients: ["12"] })).toMatchObject(failed(400, "numero_invalido"));
    expect(await api.call("POST", "/status/text", { text: "oi", recipients: [NOBODY] })).toMatchObject(failed(422, "numero_sem_conta"));
    expect(await api.call("POST", "/status/image", { media: { base64: OGG.toString("base64") } })).toMatchObject(
      failed(422, "midia_invalida"),
    );
    expect(await api.call("POST", "/status/image", { caption: "no picture" })).toMatchObject(failed(400, "requisicao_invalida"));
  });
});

describe("status posts of others", () => {
  it("are stored only if the owner enables it", async () => {
    await network.send(BIA, { chat_id: "status@broadcast", text: "ninguém vê" });
    // Earlier posts have been dropped by then; after the change they would be stored.
    const { message_id: next } = (await network.send(BIA, { to: me, text: "depois" })).body;
    await eventually("what came after it", WITHIN_MS, async () => (await api.get(`/messages/${next}`)).status === 200);
    expect((await api.get("/status/received")).body).toEqual({ data: [] });

    const { demo, app_url } = sandbox.ready();
    const headers = { "x-api-key": demo.api_key };
    const changed = await ask(`${app_url}/api/instances/${demo.connection.instance_id}`, {
      method: "PATCH",
      headers,
      json: { settings: { ignore_status: false } },
    });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    await api.call("POST", "/instance/restart");
    const owner = await person(sandbox.ready());
    await eventually(
      "connected again",
      60_000,
      async () => (await owner.call("GET", `/connections/${demo.connection.id}`)).body.data.status === "connected",
    );

    await network.send(BIA, { chat_id: "status@broadcast", text: "na praia", style: { background: "#FF0000FF" } });
    await network.send(CARLA, {
      chat_id: "status@broadcast",
      media: { base64: PNG.toString("base64"), mimetype: "image/png" },
      caption: "vista",
    });
    const received = await eventually("both posts", WITHIN_MS, async () => {
      const { data } = (await api.get("/status/received?limit=10")).body as { data: { from: string }[] };
      return data.length === 2 && data;
    });
    const [carlas, bias] = [CARLA, BIA].map((phone) => received.find(({ from }) => from === phone) as Record<string, any> | undefined);
    expect(bias).toMatchObject({
      phone: BIA,
      type: "text",
      text: "na praia",
      background_color: "#0000FF",
      media: null,
      timestamp: expect.any(Number),
      expires_at: expect.any(String),
    });
    expect(Date.parse(bias!["expires_at"])).toBe((bias!["timestamp"] + 86_400) * 1000);
    expect(carlas).toMatchObject({ type: "image", text: "vista" });
    expect(sha256(Buffer.from(await (await fetch(carlas!["media"].url)).arrayBuffer()))).toBe(sha256(PNG));
  });
});
