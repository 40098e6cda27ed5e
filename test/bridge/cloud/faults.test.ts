import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { freshNumber, must, shown } from "../phones/world.ts";
import { App, isSigned, openCloud, text, type Cloud } from "./world.ts";

describe("faults of the cloud network", () => {
  let cloud: Cloud;
  let messages: string;
  beforeAll(async () => {
    cloud = await openCloud();
    messages = `/${cloud.number.phone_number_id}/messages`;
  });
  afterAll(() => cloud.close());
  afterEach(() => cloud.control("DELETE", "/cloud/faults"));

  const send = (body: string) => cloud.send(text(cloud.ana.pn, body, { biz_opaque_callback_data: `m1.${body}` }));
  const arrived = (body: string) => shown(cloud.ana, (record) => record.text === body);
  const requests = async (body: string): Promise<any[]> =>
    (await cloud.control("GET", "/cloud/requests")).data.filter((one: any) => one.body?.text?.body === body);
  const statuses = (body: string) => cloud.app.statuses().filter((one) => one.biz_opaque_callback_data === `m1.${body}`);
  const write = async (body: string) => void must(await cloud.ana.sendText(cloud.phone, body));
  const texts = (body: RegExp) => cloud.app.messages().filter((message) => body.test(message.text?.body ?? ""));

  it("error answers with the given code and executes nothing", async () => {
    await cloud.fault("error", { code: 130_429, ms: 7_000, times: 2 });
    const refused = await send("limited");
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 130_429, message: "(#130429) Rate limit hit" } } });
    expect(refused.headers.get("retry-after")).toBe("7");
    await cloud.fault("error", { code: 100, subcode: 33, http: 403 });
    const { data } = await cloud.control("GET", "/cloud/faults");
    expect(data.map(({ kind, left }: any) => [kind, left])).toEqual([
      ["error", 1],
      ["error", 1],
    ]);
    expect((await send("limited")).status).toBe(429);
    expect(await send("limited")).toMatchObject({ status: 403, body: { error: { code: 100, error_subcode: 33 } } });
    expect((await send("not limited")).status).toBe(200);
    await arrived("not limited");
    expect(cloud.ana.inbox().some((record) => record.text === "limited")).toBe(false);
  });

  it("a filter affects only matching requests", async () => {
    await cloud.fault("error", { code: 2, match: "GET /v23.0/" });
    expect((await send("passes")).status).toBe(200);
    expect((await cloud.graph("GET", `/${cloud.number.phone_number_id}`)).body.error.code).toBe(2);
  });

  it("status_error accepts the message, then reports it as failed", async () => {
    await cloud.fault("status_error", { code: 131_049 });
    const { status, body } = await send("not delivered");
    expect(status).toBe(200);
    expect(await cloud.app.status(body.messages[0].id, "failed")).toMatchObject({ errors: [{ code: 131_049, title: expect.any(String) }] });
  });

  it("delay_answer delivers the message and its statuses before the answer", async () => {
    await cloud.fault("delay_answer", { ms: 600_000 });
    const controller = new AbortController();
    const url = `${cloud.world.graphUrl}/v23.0${messages}`;
    const headers = { authorization: `Bearer ${cloud.number.access_token}`, "content-type": "application/json" };
    const body = JSON.stringify(text(cloud.ana.pn, "delayed", { biz_opaque_callback_data: "m1.delayed" }));
    const answer = fetch(url, { method: "POST", headers, body, signal: controller.signal }).catch(() => "gone");
    await arrived("delayed");
    await eventually("its status", 60_000, () => statuses("delayed").find((one) => one.status === "delivered"));
    controller.abort();
    expect(await answer).toBe("gone");
    expect(await requests("delayed")).toEqual([expect.objectContaining({ status: 200, fault: "delay_answer" })]);
  });

  it("drop_answer and garbage_answer execute the request, drop_request does not", async () => {
    await cloud.fault("drop_answer");
    await expect(send("dropped")).rejects.toThrow("fetch failed");
    await arrived("dropped");
    await cloud.fault("garbage_answer", { http: 500 });
    expect(await send("garbled")).toMatchObject({ status: 500, body: Buffer.from("<html>") });
    await arrived("garbled");
    await cloud.fault("drop_request");
    await expect(send("lost")).rejects.toThrow("fetch failed");
    expect(await requests("lost")).toEqual([expect.objectContaining({ status: null, answer: null, fault: "drop_request" })]);
    expect((await send("after")).status).toBe(200);
    await arrived("after");
    expect(cloud.ana.inbox().some((record) => record.text === "lost")).toBe(false);
  });

  it("hold_webhooks holds webhooks back until release; reverse sends the newest first", async () => {
    await cloud.fault("hold_webhooks");
    await write("held 1");
    await cloud.ana.idle();
    await cloud.control("POST", "/cloud/webhooks", { phone_number_id: cloud.number.phone_number_id, value: { messages: [] } });
    await shown(cloud.world.phone(cloud.phone), (record) => record.text === "held 1");
    expect(texts(/^held/)).toEqual([]);
    await cloud.fault("release");
    await cloud.app.message((message) => message.text?.body === "held 1");
    await cloud.fault("reverse", { times: 3 });
    for (const body of ["in order 1", "in order 2", "in order 3"]) await write(body);
    await eventually("all three", 60_000, () => texts(/^in order/).length === 3);
    expect(texts(/^in order/).map((message) => message.text.body)).toEqual(["in order 3", "in order 2", "in order 1"]);
  });

  it("duplicate repeats the webhook; no_opaque omits the value", async () => {
    await cloud.fault("duplicate", { copies: 4 });
    await write("five times");
    await eventually("five of them", 60_000, () => texts(/^five times$/).length === 5);
    await cloud.fault("no_opaque");
    const { body } = await send("bare");
    const sent = await cloud.app.status(body.messages[0].id, "sent");
    expect(sent).not.toHaveProperty("biz_opaque_callback_data");
    expect(await cloud.app.status(body.messages[0].id, "delivered")).toHaveProperty("biz_opaque_callback_data", "m1.bare");
  });

  it("bad_signature breaks a signature; a webhook answered without 200 is repeated, correctly signed", async () => {
    cloud.app.answers = (webhook) => (isSigned(webhook, cloud.number.app_secret) ? 200 : 401);
    await cloud.fault("bad_signature");
    await write("signed");
    await eventually("both attempts", 60_000, () => texts(/^signed$/).length === 2);
    const attempts = cloud.app.received.filter(({ raw }) => raw.includes('"signed"'));
    expect(attempts.map((one) => isSigned(one, cloud.number.app_secret))).toEqual([false, true]);
    expect(new Set(attempts.map(({ raw }) => raw)).size).toBe(1);
    cloud.app.answers = () => 200;
    await eventually("both are recorded", 60_000, async () => {
      const { data } = await cloud.control("GET", "/cloud/webhooks");
      const webhook = data.find((one: any) => one.body.includes('"signed"'));
      return webhook.state === "done" && webhook.attempts.map((one: any) => one.status).join() === "401,200";
    });
  });

  it("an app that does not answer delays nobody else", async () => {
    const silent = await new App().listen();
    const other = await cloud.connect(silent, { phone: freshNumber() });
    silent.answers = () => null;
    const value = { messages: [] };
    for (let n = 0; n < 10; n++) await cloud.control("POST", "/cloud/webhooks", { phone_number_id: other.phone_number_id, value });
    await eventually("eight of them, and no more", 60_000, () => silent.received.length === 8);
    await write("not delayed");
    await cloud.app.message((message) => message.text?.body === "not delayed");
    expect(silent.received).toHaveLength(8);
    silent.close();
  });

  it("any body can be sent unchanged, signed or not, and repeated", async () => {
    const raw = '{ "object": "é", "entry": [] }';
    const post = (more: object) => cloud.control("POST", "/cloud/webhooks", { phone_number_id: cloud.number.phone_number_id, ...more });
    const requestsWith = (body: string) => cloud.app.received.filter((one) => one.raw === body);
    const { id } = await post({ raw });
    await eventually("it", 60_000, () => requestsWith(raw).length === 1);
    expect(isSigned(requestsWith(raw)[0]!, cloud.number.app_secret)).toBe(true);
    await cloud.control("POST", `/cloud/webhooks/${id}/resend`);
    await eventually("it again", 60_000, () => requestsWith(raw).length === 2);
    await post({ raw: `${raw} `, sign: "none" });
    await post({ raw: `${raw}  `, sign: "wrong" });
    await post({ raw: `${raw}   `, sign: "escaped" });
    await eventually(
      "the others",
      60_000,
      () => requestsWith(`${raw} `).length + requestsWith(`${raw}  `).length + requestsWith(`${raw}   `).length === 3,
    );
    expect(requestsWith(`${raw} `)[0]?.signature).toBeUndefined();
    expect(isSigned(requestsWith(`${raw}  `)[0]!, cloud.number.app_secret)).toBe(false);
    const { signature } = requestsWith(`${raw}   `)[0]!;
    expect(isSigned({ raw: `${raw.replace("é", String.raw`\u00e9`)}   `, signature, body: null }, cloud.number.app_secret)).toBe(true);
    const value = { messaging_product: "whatsapp", metadata: {}, anything: true };
    await post({ field: "account_update", value });
    await post({ field: "calls", value });
    expect(await cloud.app.change(({ field, value }) => field === "calls" && value.anything)).toEqual({ field: "calls", value });
    expect(cloud.app.changes().some(({ field }) => field === "account_update")).toBe(false);
  });

  it("every request is recorded in full, without credentials", async () => {
    await send("recorded");
    const [one] = await requests("recorded");
    expect(one).toMatchObject({
      phone_number_id: cloud.number.phone_number_id,
      method: "POST",
      path: `/v23.0${messages}`,
      headers: { authorization: `…${cloud.number.access_token.slice(-4)}` },
      body: text(cloud.ana.pn, "recorded", { biz_opaque_callback_data: "m1.recorded" }),
      status: 200,
      answer: { messages: [{ id: expect.any(String) }] },
      fault: null,
    });
    const stranger = { ...cloud.number, access_token: "EAAsecretsecret" };
    await cloud.graphOf(stranger)("GET", `/${cloud.number.phone_number_id}?access_token=EAAanothersecret`);
    const { data } = await cloud.control("GET", "/cloud/requests?limit=1");
    expect(data).toEqual([expect.objectContaining({ status: 401, query: { access_token: "…cret" }, phone_number_id: null })]);
    expect(JSON.stringify((await cloud.control("GET", "/cloud/requests")).data)).not.toMatch(/EAA\w{6}/);
  });
});
