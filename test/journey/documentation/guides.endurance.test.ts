// The guides' code, in curl and JavaScript, works as described.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccountCalls, accountCalls, signIn } from "../../support/account-holder.ts";
import { phones } from "../../support/clients.ts";
import { parseCurl, runCurl } from "../../support/documentation/curl.ts";
import { eventually } from "../../support/eventually.ts";
import { FileServer } from "../../support/file-server.ts";
import { freshPhone, pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { curlCommands, FIRST, importJavaScript, runJavaScript, type RunSnippet, runShell } from "../../support/documentation/snippets.ts";

const CONTACT = "5511900000002";
const STORE = "5511900000171";
const WITHIN_MS = 60_000;
/** The time in the snippets `send-later`, which must be in the future and at most a year ahead. */
const SAMPLE_TIME = "2027-01-15T09:00:00-03:00";
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==", "base64");

let sandbox: SharedSandbox;
let files: FileServer;
let folder: string;
let network: ReturnType<typeof phones>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "guides-"));
  [sandbox, files] = await Promise.all([borrowSandbox(), FileServer.start()]);
  network = phones(sandbox.ready());
});
afterAll(async () => {
  await sandbox.dispose();
  await files.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The response to each curl command of a snippet. */
async function curls(setting: RunSnippet, name: string): Promise<{ status: number; body: any }[]> {
  const answers = [];
  for (const command of curlCommands(setting, name)) answers.push(await runCurl(parseCurl(command, setting.env)));
  return answers;
}

const statuses = async (setting: RunSnippet, name: string) => (await curls(setting, name)).map(({ status }) => status);

describe("the Connection API's guides", () => {
  let shop: PairedConnection;
  let setting: RunSnippet;
  const inbox = async () => (await network.inbox(CONTACT)).filter(({ from }) => from === shop.phone);

  beforeAll(async () => {
    shop = await pairConnection(sandbox.ready(), "5511900000172", { name: "Loja" });
    const url = files.file("/foto.jpg", PNG, "image/png");
    setting = {
      api: "connection",
      url: sandbox.ready().app_url,
      env: { API_KEY: shop.key },
      real: { "https://example.com/foto.jpg": url, [SAMPLE_TIME]: inAnHour() },
    };
  });

  it.each([FIRST, "send-image", "send-document", "send-once"])("%s reaches the phone, by curl and by JavaScript", async (name) => {
    const before = (await inbox()).length;
    expect(await statuses(setting, name)).toEqual([200]);
    expect(await runJavaScript(setting, name)).toMatch(name === FIRST ? /^200 .*"message_id"/ : /^$/);
    // `send-once` in JavaScript uses the idempotency key of curl's send, so only one message goes out.
    await eventually("the messages", WITHIN_MS, async () => (await inbox()).length === before + (name === "send-once" ? 1 : 2));
  });

  it("send-later schedules a message, by curl and by JavaScript, which cancels its own", async () => {
    const [accepted, listed] = await curls(setting, "send-later");
    expect([accepted?.status, accepted?.body.status]).toEqual([202, "waiting"]);
    expect(listed?.body.data).toMatchObject([{ message_id: accepted?.body.message_id, waits_for: "time" }]);
    expect(await runJavaScript(setting, "send-later")).toBe("waiting\n1");
    await ok(shop.api.call("DELETE", "/messages/waiting"));
  });

  it("reachability advises to send, and sends", async () => {
    const [asked] = await curls(setting, "reachability");
    expect(asked?.body.data).toMatchObject({ exists: true, chat: "known", advice: "send" });
    expect(await runJavaScript(setting, "reachability")).toBe("send null");
    await eventually("the message", WITHIN_MS, async () => (await inbox()).some(({ text }) => text === "Seu pedido saiu para entrega"));
  });

  it("list-chats reads every page", async () => {
    expect(await statuses(setting, "list-chats")).toEqual([200]);
    expect(await runJavaScript(setting, "list-chats")).toBe("");
  });

  it("create-group makes a group and writes to it", async () => {
    const [created] = await curls(setting, "create-group");
    expect(created?.body.participants).toEqual([expect.objectContaining({ phone: CONTACT, status: "ok" })]);
    expect(await runJavaScript(setting, "create-group")).toBe(`${CONTACT} ok null`);
    await eventually("the greeting", WITHIN_MS, async () => (await inbox()).some(({ text }) => text === "Bem-vindos!"));
  });

  it("handle-errors tells a number without an account", async () => {
    expect((await curls(setting, "handle-errors")).map(({ status, body }) => [status, body.error.codigo])).toEqual([
      [422, "numero_sem_conta"],
    ]);
    expect(await runJavaScript(setting, "handle-errors")).toBe("no account");
  });

  it("pair leads from a QR code to a connected number", async () => {
    const { id } = (await shop.owner.call("POST", "/connections", { name: "New" })).body.data as { id: number };
    const { key } = (await shop.owner.call("POST", `/connections/${id}/keys`, { name: "guides" })).body.data as { key: string };
    const phone = freshPhone();
    await network.create(phone, "New");
    await runJavaScript({ ...setting, env: { API_KEY: key } }, "pair", scannedBy(phone));
    expect((await shop.owner.call("GET", `/connections/${id}`)).body.data).toMatchObject({ status: "connected", phone });
    const [connect] = curlCommands(setting, "pair").map((command) => parseCurl(command, { API_KEY: key }));
    expect((await runCurl(connect!)).status).toBe(200);
  });

  it("verify tells a genuine delivery from a forged one, in JavaScript and in a shell", async () => {
    const receiver = await Receiver.start();
    const { secret } = (await shop.owner.call("PUT", `/connections/${shop.id}/webhook`, { url: receiver.url })).body.data;
    await network.send(CONTACT, { to: shop.phone, text: "Olá!" });
    // Echoes of earlier messages may still arrive.
    const { body, headers } = await receiver.waitFor(
      "the message",
      WITHIN_MS,
      ({ type, data }) => type === "message.received" && data.text === "Olá!",
    );
    await receiver.stop();
    type Verify = { isGenuine(headers: unknown, body: string, secret: string, now?: number): boolean };
    const { isGenuine } = await importJavaScript<Verify>("connection", "verify");
    expect(isGenuine(headers, body, secret)).toBe(true);
    expect(isGenuine(headers, body.replace("Olá!", "Ola!"), secret)).toBe(false);
    expect(isGenuine(headers, body, secret, Date.now() + 400_000)).toBe(false);
    expect(isGenuine({}, body, secret)).toBe(false);
    const env = {
      WEBHOOK_SECRET: secret,
      WEBHOOK_ID: String(headers["webhook-id"]),
      WEBHOOK_TIMESTAMP: String(headers["webhook-timestamp"]),
      WEBHOOK_SIGNATURE: String(headers["webhook-signature"]),
    };
    const inShell = async (text: string) => {
      writeFileSync(join(folder, "body.json"), text);
      return runShell({ ...setting, env }, "verify", folder);
    };
    expect(await inShell(body)).toBe("genuine");
    expect(await inShell(body.replace("Olá!", "Ola!"))).toBe("forged");
  });
});

describe("the Account API's guides", () => {
  let api: AccountCalls;
  let receiver: Receiver;
  let setting: RunSnippet;
  const made: string[] = [];

  beforeAll(async () => {
    const ready = sandbox.ready();
    const bearer = accountCalls(ready, { authorization: `Bearer ${await signIn(ready)}` });
    const { key } = (await ok(bearer("POST", "/api-keys", { name: "Guides" }), 201)).data as { key: string };
    api = accountCalls(ready, { "x-api-key": key });
    receiver = await Receiver.start();
    setting = {
      api: "account",
      url: ready.base_url,
      env: { API_KEY: key },
      real: {
        "https://hooks.example.com/gateway": receiver.url,
        "https://example.com/photo.jpg": files.file("/photo.jpg", PNG, "image/png"),
        [SAMPLE_TIME]: inAnHour(),
      },
    };
  });
  afterAll(async () => {
    // The account is shared: later files must find neither these instances nor the endpoint, which receives all its events.
    for (const path of made) await ok(api("DELETE", path));
    await receiver.stop();
  });

  it("create-instance leads from a QR code to a connected number; list-instances shows it", async () => {
    await network.call("POST", "/phones", { phone: STORE, name: "Store", business: true });
    await runJavaScript(setting, "create-instance", scannedBy(STORE));
    const [instance] = (await ok(api("GET", "/instances?q=Store"))).data;
    expect(instance).toMatchObject({ status: "connected", phone_number: STORE });
    setting.env["INSTANCE_ID"] = instance.id;
    const [another] = await curls(setting, "create-instance");
    expect(another?.status).toBe(201);
    made.push(`/instances/${instance.id}`, `/instances/${another?.body.data.id}`);
    expect(await statuses(setting, "list-instances")).toEqual([200]);
    expect(await runJavaScript(setting, "list-instances")).toBe("");
  });

  it("create-webhook makes one endpoint however often it runs; verify knows its deliveries", async () => {
    const [created] = await curls(setting, "create-webhook");
    expect(created?.status).toBe(201);
    expect(await runJavaScript(setting, "create-webhook")).toBe(created?.body.data.id);
    setting.env["WEBHOOK_ID"] = created?.body.data.id as string;
    made.push(`/webhooks/${created?.body.data.id}`);
    await network.send(CONTACT, {
      to: STORE,
      type: "image",
      media: { base64: PNG.toString("base64"), mimetype: "image/png" },
      caption: "Olá!",
    });
    const { body, headers } = await receiver.waitFor("the message", WITHIN_MS, (event) => event["event"] === "message.received");
    type Verify = { isGenuine(headers: unknown, body: string, secret: string): boolean };
    const { isGenuine } = await importJavaScript<Verify>("account", "verify");
    const secret = "choose-a-long-random-one";
    expect(isGenuine(headers, body, secret)).toBe(true);
    expect(isGenuine(headers, `${body} `, secret)).toBe(false);
    expect(isGenuine({}, body, secret)).toBe(false);
    const env = { WEBHOOK_SECRET: secret, SIGNATURE: String(headers["x-service-signature"]) };
    writeFileSync(join(folder, "body.json"), body);
    expect(await runShell({ ...setting, env }, "verify", folder)).toBe("genuine");
    writeFileSync(join(folder, "body.json"), `${body} `);
    expect(await runShell({ ...setting, env }, "verify", folder)).toBe("forged");
  });

  const fromStore = async () => (await network.inbox(CONTACT)).filter(({ from }) => from === STORE);
  const onStore = async (what: string) => (await network.call("GET", `/phones/${STORE}/${what}`)).body.data;

  it.each([FIRST, "send-text", "send-image", "send-poll", "send-once"])("%s reaches the phone, by curl and by JavaScript", async (name) => {
    const before = (await fromStore()).length;
    expect(await statuses(setting, name)).toEqual([201]);
    const printed = await runJavaScript(setting, name);
    // `send-once` in JavaScript uses the idempotency key of curl's send, so only one message goes out.
    await eventually("the messages", WITHIN_MS, async () => (await fromStore()).length === before + (name === "send-once" ? 1 : 2));
    const expected: Partial<Record<string, RegExp>> = {
      [FIRST]: /^201 .*"message_id"/,
      "send-poll": /^Tuesday 0\nThursday 0$/,
      "send-once": /^order-1042 sent$/,
    };
    expect(printed).toMatch(expected[name] ?? /^$/);
  });

  it("send-later schedules a message, by curl and by JavaScript, which cancels its own", async () => {
    const [accepted, listed] = await curls(setting, "send-later");
    expect([accepted?.status, accepted?.body.data.status]).toEqual([202, "waiting"]);
    expect(listed?.body.data).toMatchObject([{ message_id: accepted?.body.data.message_id, waits_for: "time" }]);
    expect(await runJavaScript(setting, "send-later")).toBe("waiting\n1");
    await ok(api("DELETE", `/instances/${setting.env["INSTANCE_ID"]}/messages/waiting`));
  });

  it("reachability advises to send, and sends", async () => {
    const [asked] = await curls(setting, "reachability");
    expect(asked?.body.data).toMatchObject({ exists: true, chat: "known", advice: "send" });
    expect(await runJavaScript(setting, "reachability")).toBe("send null");
    await eventually("the message", WITHIN_MS, async () => (await fromStore()).some(({ text }) => text === "Your order is on its way"));
  });

  it("list-chats shows what is unread, and its author sees that it was read", async () => {
    const { message_id } = (await network.send(CONTACT, { to: STORE, text: "Are you open?" })).body;
    const isThere = async () => (await api("GET", `/instances/${setting.env["INSTANCE_ID"]}/messages/${message_id}`)).status === 200;
    await eventually("the message", WITHIN_MS, isThere);
    expect(await statuses(setting, "list-chats")).toEqual([200, 200]);
    expect(await runJavaScript(setting, "list-chats")).toContain(`${CONTACT}@c.us text Are you open?`);
    await eventually("blue ticks", WITHIN_MS, async () => {
      const { data } = (await network.call("GET", `/phones/${CONTACT}/receipts?message_id=${message_id}`)).body;
      return (data as { kind: string }[]).some(({ kind }) => kind === "read");
    });
  });

  it("label-chat labels a chat on the phone, with one label however often it runs", async () => {
    expect(await statuses(setting, "label-chat")).toEqual([201]);
    expect(await runJavaScript(setting, "label-chat")).toContain(`${CONTACT}@c.us`);
    await eventually("the label", WITHIN_MS, async () => {
      const [label, ...others] = (await onStore("labels")) as { name: string; chats: string[] }[];
      return label?.name === "Open orders" && others.length === 0 && label.chats.some((chat) => chat.startsWith(CONTACT));
    });
  });

  it("create-group makes a group and writes to it", async () => {
    const [created] = await curls(setting, "create-group");
    expect(created?.body.participants).toEqual([expect.objectContaining({ id: `${CONTACT}@c.us`, status: "ok" })]);
    expect(await runJavaScript(setting, "create-group")).toBe(`${CONTACT}@c.us ok null`);
    await eventually("the greeting", WITHIN_MS, async () => (await fromStore()).some(({ text }) => text === "Welcome!"));
  });

  it("save-contacts saves in the phone who has an account", async () => {
    expect(await statuses(setting, "save-contacts")).toEqual([200, 200]);
    expect(await runJavaScript(setting, "save-contacts")).toBe("5511900009999 has no account");
    await eventually("the name", WITHIN_MS, async () => (await onStore(`contacts/${CONTACT}`)).full_name === "Ana Souza");
  });

  it("set-profile shows the number as it says", async () => {
    expect(await statuses(setting, "set-profile")).toEqual([200, 200]);
    expect(await runJavaScript(setting, "set-profile")).toBe("Ana's store Open from 9 to 6");
    const seen = (await network.call("GET", `/phones/${CONTACT}/contacts/${STORE}`)).body.data;
    expect(seen).toMatchObject({ about: "Open from 9 to 6" });
  });

  it("reject-calls rejects who rings, and says why", async () => {
    const { call_id } = (await network.call("POST", `/phones/${CONTACT}/call`, { to: STORE })).body;
    await eventually("the call", WITHIN_MS, async () => {
      const [listed] = await curls(setting, "reject-calls");
      return listed?.body.data.some((call: { call_id: string }) => call.call_id === call_id);
    });
    await runJavaScript(setting, "reject-calls");
    await eventually("the call dropped at the caller's", WITHIN_MS, async () => {
      const calls = (await network.call("GET", `/phones/${CONTACT}/calls`)).body.data as { call_id: string; status: string }[];
      return calls.find((call) => call.call_id === call_id)?.status === "rejected";
    });
    await eventually("the message", WITHIN_MS, async () => (await fromStore()).some(({ text }) => text === "Please write to us."));
  });

  it("post-news publishes in a channel and as a status", async () => {
    const [channel, status] = await curls(setting, "post-news");
    expect([channel?.status, status?.status]).toEqual([201, 201]);
    await network.call("POST", `/phones/${CONTACT}/channels/${channel?.body.data.channel_id}/follow`, {});
    expect(await runJavaScript(setting, "post-news")).toBe(channel?.body.data.invite_link);
    const posts = async () =>
      ((await network.call("GET", `/phones/${CONTACT}/statuses`)).body.data as { text: string }[]).map(({ text }) => text);
    await expect.poll(posts).toEqual(expect.arrayContaining(["Open from 9", "We have moved."]));
    const ofChannel = async () => (await network.inbox(CONTACT)).filter(({ chat_id }) => chat_id === channel?.body.data.channel_id);
    await eventually("the news", WITHIN_MS, async () => (await ofChannel()).some(({ text }) => text === "We have moved."));
  });

  it("download-media gets the files of a chat", async () => {
    const [listed] = await curls(setting, "download-media");
    expect(listed?.body.data.some(({ media }: { media: { base64: string } | null }) => media?.base64 === PNG.toString("base64"))).toBe(
      true,
    );
    // Includes the files that `send-image` sent.
    expect(new Set((await runJavaScript(setting, "download-media")).split("\n"))).toEqual(new Set([`image/png ${PNG.length}`]));
  });

  it("resend sends failed deliveries again", async () => {
    const env = { ...setting.env, SINCE: new Date(Date.now() - 3_600_000).toISOString() };
    expect(await statuses({ ...setting, env }, "resend")).toEqual([202]);
    expect(await runJavaScript(setting, "resend")).toBe("");
  });

  it("remove-participants answers a result for each", async () => {
    const owner = await network.call("POST", `/phones/${STORE}/groups`, { subject: "Team", participants: [CONTACT] });
    setting.env["GROUP_ID"] = owner.body.group_id as string;
    const [removed] = await curls(setting, "remove-participants");
    expect(removed).toMatchObject({ status: 200 });
    expect(await runJavaScript(setting, "remove-participants")).toContain("5511900000002");
  });

  it("export reads the account and every page of its instances", async () => {
    const [account, instance] = await curls(setting, "export");
    expect([account?.status, instance?.status]).toEqual([200, 200]);
    expect(account?.body.data.instances).toContainEqual(expect.objectContaining({ id: setting.env["INSTANCE_ID"] }));
    expect(instance?.body.data[0]).toMatchObject({ kind: "instance", record: { id: setting.env["INSTANCE_ID"] } });
    const records = Number(/^Store (\d+)$/m.exec(await runJavaScript(setting, "export"))?.[1]);
    expect(records).toBeGreaterThanOrEqual(instance?.body.data.length as number);
  });

  it("handle-errors tells an instance that is not there", async () => {
    expect((await curls(setting, "handle-errors")).map(({ status }) => status)).toEqual([404]);
    expect(await runJavaScript(setting, "handle-errors")).toBe("not there, or of another account");
  });
});

/** Scans each QR code that a snippet prints, until one is scanned before it expires. */
function scannedBy(phone: string): (line: string) => void {
  return (qr) => void network.call("POST", `/phones/${phone}/scan`, { qr });
}
