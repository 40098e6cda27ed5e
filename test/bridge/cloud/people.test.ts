import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endCall, placeCall } from "#root/test-network/phone/calls.ts";
import { eventually } from "../../support/eventually.ts";
import { freshNumber, must, shown } from "../phones/world.ts";
import { judgeTraffic } from "../../contract/traffic.ts";
import { App, openCloud, text, VERIFY_TOKEN, type Cloud } from "./world.ts";

describe("people and a cloud number", () => {
  let cloud: Cloud;
  let path: string;
  beforeAll(async () => {
    cloud = await openCloud();
    path = `/${cloud.number.phone_number_id}`;
  });
  afterAll(() => cloud.close());
  const patch = (body: object) => cloud.control("PATCH", `/cloud/numbers/${cloud.phone}`, body);

  describe("blocks", () => {
    const block = (method: string, ...users: string[]) =>
      cloud.graph(method, `${path}/block_users`, { messaging_product: "whatsapp", block_users: users.map((user) => ({ user })) });

    it("a contact who has written may be blocked, listed and unblocked", async () => {
      const bob = await cloud.contact("Bob");
      const { body } = await block("POST", `+${bob.pn}`);
      expect(body).toEqual({ messaging_product: "whatsapp", block_users: { added_users: [{ input: `+${bob.pn}`, wa_id: bob.pn }] } });
      const { data } = (await cloud.graph("GET", `${path}/block_users`)).body;
      expect(data).toEqual([{ messaging_product: "whatsapp", wa_id: bob.pn }]);
      must(await bob.sendText(cloud.phone, "not heard"));
      must(await cloud.ana.sendText(cloud.phone, "heard"));
      await cloud.app.message((message) => message.text?.body === "heard");
      expect(cloud.app.messages().some((message) => message.text?.body === "not heard")).toBe(false);
      expect((await block("DELETE", bob.pn)).body.block_users).toEqual({ removed_users: [{ input: bob.pn, wa_id: bob.pn }] });
      expect((await cloud.graph("GET", `${path}/block_users`)).body.data).toEqual([]);
    });

    it("a contact who has not written lately cannot be blocked", async () => {
      const stranger = await cloud.world.newPhone("Zoe");
      const { failed_users } = (await block("POST", stranger.pn)).body.block_users;
      expect(failed_users).toEqual([{ input: stranger.pn, wa_id: stranger.pn, errors: [expect.objectContaining({ code: 131_047 })] }]);
    });
  });

  describe("calls", () => {
    it("ring, may be rejected, and end", async () => {
      const callId = await cloud.ana.act((deps) => placeCall(deps, cloud.phone, false));
      const connected = await cloud.app.change(({ field, value }) => field === "calls" && value.calls[0].event === "connect");
      const [call] = connected.value.calls;
      expect(call).toMatchObject({ from: cloud.ana.pn, to: cloud.phone, direction: "USER_INITIATED", session: { sdp_type: "offer" } });
      const reject = { messaging_product: "whatsapp", call_id: call.id, action: "reject" };
      expect((await cloud.graph("POST", `${path}/calls`, reject)).body).toMatchObject({ success: true });
      await eventually("it is rejected", 60_000, () => cloud.ana.deps.documents.get("call", callId)?.status === "rejected");
      expect((await cloud.graph("POST", `${path}/calls`, reject)).body.error.code).toBe(138_007);
      await cloud.app.change(({ value }) => value.calls?.some((one: any) => one.id === call.id && one.event === "terminate"));
    });

    it("are reported as ended when the caller hangs up, and open the window", async () => {
      const caller = await cloud.world.newPhone("Caio");
      const callId = await caller.act((deps) => placeCall(deps, cloud.phone, false));
      await cloud.app.change(({ value }) => value.calls?.some((one: any) => one.from === caller.pn && one.event === "connect"));
      await caller.act((deps) => endCall(deps, callId));
      await cloud.app.change(({ value }) => value.calls?.some((one: any) => one.from === caller.pn && one.event === "terminate"));
      await cloud.send(text(caller.pn, "you called"));
      await shown(caller, (record) => record.text === "you called");
    });
  });

  describe("the profile", () => {
    it("shows and changes what contacts see", async () => {
      const profile = {
        messaging_product: "whatsapp",
        about: "Aberto até as 18h",
        email: "loja@example.com",
        websites: ["https://example.com/"],
      };
      expect((await cloud.graph("POST", `${path}/whatsapp_business_profile`, profile)).body).toEqual({ success: true });
      const { body } = await cloud.graph("GET", `${path}/whatsapp_business_profile?fields=about,email,websites`);
      expect(body).toEqual({ data: [profile] });
      expect((await cloud.control("GET", `/phones/${cloud.ana.pn}/contacts/${cloud.phone}`)).data.about).toBe("Aberto até as 18h");
      const long = await cloud.graph("POST", `${path}/whatsapp_business_profile`, {
        messaging_product: "whatsapp",
        about: "x".repeat(140),
      });
      expect(long.body.error.code).toBe(100);
    });

    it("has a picture set by an upload, also in parts", async () => {
      const bytes = Buffer.from("a profile picture in two parts");
      const query = `file_name=a.jpg&file_length=${bytes.length}&file_type=image/jpeg`;
      const { id } = (await cloud.graph("POST", `/${cloud.number.app_id}/uploads?${query}`)).body;
      expect(id).toMatch(/^upload:/);
      const part = (from: number, to: number) =>
        cloud.graph("POST", `/${id}`, bytes.subarray(from, to), {
          authorization: `OAuth ${cloud.number.access_token}`,
          file_offset: String(from),
        });
      expect((await part(0, 10)).status).toBe(200);
      expect((await cloud.graph("GET", `/${id}`)).body).toEqual({ id, file_offset: 10 });
      expect((await part(0, 10)).status).toBe(400);
      const { h } = (await part(10, bytes.length)).body;
      await cloud.graph("POST", `${path}/whatsapp_business_profile`, { messaging_product: "whatsapp", profile_picture_handle: h });
      const url = (await cloud.graph("GET", `${path}/whatsapp_business_profile?fields=profile_picture_url`)).body.data[0]
        .profile_picture_url;
      expect((await cloud.call(url, "GET")).body).toEqual(bytes);
      const contact = (await cloud.control("GET", `/phones/${cloud.ana.pn}/contacts/${cloud.phone}`)).data;
      expect(contact.picture_sha256).toEqual(expect.any(String));
    });
  });

  describe("names", () => {
    it("a contact who shows only a username is identified by user id, and reached by it", async () => {
      const dora = await cloud.world.newPhone("Dora");
      await patch({ username_only: [dora.pn] });
      must(await dora.sendText(cloud.phone, "who am I"));
      const change = await cloud.app.change(({ value }) => value.messages?.[0]?.text?.body === "who am I");
      const [message] = change.value.messages;
      const userId = message.from_user_id;
      expect(message).not.toHaveProperty("from");
      expect(change.value.contacts).toEqual([{ profile: { name: "Dora", username: expect.any(String) }, user_id: userId }]);
      const { to: _to, ...body } = text(dora.pn, "I know") as any;
      const answer = await cloud.send({ ...body, recipient: userId });
      expect(answer.body.contacts).toEqual([{ input: userId, user_id: userId }]);
      await shown(dora, (record) => record.text === "I know");
      const sent = await cloud.app.status(answer.body.messages[0].id, "delivered");
      expect(sent.recipient_user_id).toBe(userId);
      expect(sent).not.toHaveProperty("recipient_id");
      await patch({ username_only: [] });
      must(await dora.sendText(cloud.phone, "now you do"));
      expect(await cloud.app.message(({ text }) => text?.body === "now you do")).toMatchObject({ from: dora.pn, from_user_id: userId });
      expect((await cloud.send({ ...body, recipient: "BR.1234" })).body.error.code).toBe(131_009);
    });

    it("a number is found in its other format, or in one reported by a webhook", async () => {
      const { createPhone } = cloud.world;
      const old = await createPhone("551187654321", { name: "Old" });
      must(await old.sendText(cloud.phone, "without nine"));
      await cloud.app.message(({ text }) => text?.body === "without nine");
      const answer = await cloud.send(text("5511987654321", "with nine"));
      expect(answer.body.contacts).toEqual([{ input: "+5511987654321", wa_id: "551187654321" }]);
      await shown(old, (record) => record.text === "with nine");
      const { to, ...body } = text(old.pn, "no plus") as any;
      for (const written of [to.slice(1), to.slice(3)])
        expect((await cloud.send({ ...body, to: written })).body.contacts[0].wa_id).toBe(old.pn);
      await patch({ spelling: { "4915112345678": cloud.ana.pn } });
      expect((await cloud.send(text("4915112345678", "told"))).body.contacts[0].wa_id).toBe(cloud.ana.pn);
      await patch({ spelling: { "4915112345678": null } });
      expect((await cloud.send(text("4915112345678", "forgotten"))).body.contacts[0].wa_id).toBe("4915112345678");
    });

    it("a new number, and a new user id, are reported in the network's own format", async () => {
      const system = (body: object) =>
        cloud.control("POST", "/cloud/system", { phone_number_id: cloud.number.phone_number_id, phone: cloud.ana.pn, ...body });
      const new_phone = freshNumber();
      await system({ type: "user_changed_number", new_phone });
      const changed = await cloud.app.change(({ value }) => value.messages?.[0]?.system?.type === "user_changed_number");
      expect(changed.value).not.toHaveProperty("contacts");
      const [message] = changed.value.messages;
      expect(message).toMatchObject({ type: "system", from: cloud.ana.pn, system: { wa_id: new_phone, user_id: message.from_user_id } });
      await system({ type: "user_changed_user_id" });
      const other = await cloud.app.message(({ system: said }) => said?.type === "user_changed_user_id");
      expect(other.system.user_id).not.toBe(other.from_user_id);
      await expect(system({ type: "user_changed_number" })).rejects.toThrow("new_phone");
    });
  });

  it("with coexistence, own messages are echoed, and edits and deletions reported", async () => {
    const business = cloud.world.phone(cloud.phone);
    must(await cloud.ana.sendText(cloud.phone, "to be edited"));
    const { id } = await cloud.app.message(({ text }) => text?.body === "to be edited");
    const { message_id } = cloud.ana.inbox().find(({ text }) => text === "to be edited") ?? { message_id: "" };
    must(await cloud.ana.edit(cloud.phone, message_id, "hidden"));
    expect(await cloud.app.message(({ unsupported }) => unsupported?.type === "edit")).toMatchObject({ type: "unsupported" });
    await patch({ coexistence: true });
    expect((await cloud.graph("GET", `${path}?fields=is_on_biz_app`)).body.is_on_biz_app).toBe(true);
    must(await cloud.ana.edit(cloud.phone, message_id, "edited"));
    expect((await cloud.app.message(({ type }) => type === "edit")).edit).toEqual({
      original_message_id: id,
      message: { type: "text", text: { body: "edited" } },
    });
    must(await cloud.ana.delete(cloud.phone, message_id));
    expect((await cloud.app.message(({ type }) => type === "revoke")).revoke).toEqual({ original_message_id: id });
    must(await business.sendText(cloud.ana.pn, "from the phone"));
    const echo = await cloud.app.change(({ field }) => field === "smb_message_echoes");
    expect(echo.value.message_echoes).toEqual([
      expect.objectContaining({ from: cloud.phone, to: cloud.ana.pn, type: "text", text: { body: "from the phone" } }),
    ]);
    expect((await cloud.send(text(cloud.ana.pn, "by Graph"))).status).toBe(200);
    await shown(cloud.ana, (record) => record.text === "by Graph");
    expect(cloud.app.changes().filter(({ field }) => field === "smb_message_echoes")).toHaveLength(1);
  });

  it("account events go to the app's own address", async () => {
    const own = await new App().listen();
    const asApp = cloud.graphOf({ ...cloud.number, access_token: `${cloud.number.app_id}|${cloud.number.app_secret}` });
    const subscription = { object: "whatsapp_business_account", callback_url: own.url, verify_token: VERIFY_TOKEN };
    expect((await asApp("POST", `/${cloud.number.app_id}/subscriptions`, subscription)).body).toEqual({ success: true });
    await patch({ quality: "RED" });
    expect(await own.change(({ field }) => field === "phone_number_quality_update")).toMatchObject({ value: { event: "FLAGGED" } });
    expect((await cloud.graph("GET", `${path}?fields=quality_rating`)).body.quality_rating).toBe("RED");
    const template = { waba_id: cloud.number.waba_id, name: "bye", language: "pt_BR", body: "Tchau" };
    await cloud.control("POST", "/cloud/templates", template);
    await cloud.control("POST", "/cloud/templates", { ...template, status: "PAUSED" });
    await own.change(({ field, value }) => field === "message_template_status_update" && value.event === "PAUSED");
    await patch({ fields: ["calls"] });
    must(await cloud.ana.sendText(cloud.phone, "nobody subscribed"));
    await patch({ fields: ["messages"] });
    must(await cloud.ana.sendText(cloud.phone, "somebody did"));
    await cloud.app.message(({ text }) => text?.body === "somebody did");
    expect(cloud.app.messages().some(({ text }) => text?.body === "nobody subscribed")).toBe(false);
    own.close();
  });

  it("tokens expire, are deleted and replaced; a number sends once it is registered", async () => {
    const base = `/cloud/numbers/${cloud.phone}`;
    const made = await cloud.control("POST", `${base}/tokens`, { expires_in_s: 60 });
    const limited = cloud.graphOf({ ...cloud.number, access_token: made.access_token });
    expect((await limited("GET", path)).status).toBe(200);
    await cloud.control("POST", "/cloud/clock", { offset_s: 61 });
    expect((await limited("GET", path)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
    await cloud.control("POST", "/cloud/clock", { offset_s: 0 });
    await cloud.control("DELETE", `${base}/tokens/${made.last4}`);
    expect((await limited("GET", path)).body.error.code).toBe(190);

    const pinned = freshNumber();
    const { phone_number_id, ...number } = await cloud.control("POST", "/cloud/numbers", {
      phone: pinned,
      name: "Pin",
      pin: "123456",
      registered: false,
    });
    const graph = cloud.graphOf({ phone_number_id, ...number });
    expect((await graph("POST", `/${phone_number_id}/messages`, text(cloud.ana.pn, "x"))).body.error.code).toBe(133_010);
    const register = (pin: string) => graph("POST", `/${phone_number_id}/register`, { messaging_product: "whatsapp", pin });
    expect((await register("654321")).body.error.code).toBe(133_005);
    expect((await register("123456")).body).toEqual({ success: true });
    expect((await graph("POST", `/${phone_number_id}/messages`, text(cloud.ana.pn, "x"))).status).toBe(200);
    expect((await graph("GET", path)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    const sibling = await cloud.control("POST", "/cloud/numbers", { phone: freshNumber(), name: "Dois", waba_id: number.waba_id });
    expect(sibling).toMatchObject({ waba_id: number.waba_id, app_id: number.app_id, access_token: number.access_token });
    expect((await graph("DELETE", `/${number.waba_id}/subscribed_apps`)).body).toEqual({ success: true });
    const before = (await cloud.control("GET", `/cloud/numbers/${pinned}`)).data.app_secret;
    const { app_secret } = await cloud.control("POST", `/cloud/numbers/${pinned}/secret`);
    expect(app_secret).not.toBe(before);
  });

  it("conform to Meta's description", async () => {
    expect((await judgeTraffic(cloud.world.controlUrl)).problems).toEqual([]);
  });
});
