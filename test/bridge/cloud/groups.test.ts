import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { joinGroup } from "#root/test-network/phone/groups.ts";
import { must, shown } from "../phones/world.ts";
import { judgeTraffic } from "../../contract/traffic.ts";
import { openCloud, type Cloud } from "./world.ts";

describe("groups of a cloud number", () => {
  let cloud: Cloud;
  let group: string;
  beforeAll(async () => {
    cloud = await openCloud();
    const { status, body } = await cloud.graph("POST", `/${cloud.number.phone_number_id}/groups`, {
      messaging_product: "whatsapp",
      subject: "Clientes",
      description: "Só nós",
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: { messaging_product: "whatsapp", request_id: expect.stringMatching(/^[0-9A-F]{32}$/) },
    });
    const created = await told("group_create");
    expect(created).toMatchObject({ request_id: body.request_id, subject: "Clientes", description: "Só nós" });
    expect(created.invite_link).toMatch(/^https:\/\/chat\.whatsapp\.com\//);
    group = created.group_id;
  });
  afterAll(() => cloud.close());

  const told = async (type: string, meant: (item: any) => boolean = () => true): Promise<any> => {
    const items = () => cloud.app.changes().flatMap(({ value }) => value.groups ?? []);
    await cloud.app.change(() => items().some((item) => item.type === type && meant(item)));
    return items().find((item) => item.type === type && meant(item));
  };
  const link = async (method = "GET"): Promise<string> => {
    const body = method === "GET" ? undefined : { messaging_product: "whatsapp" };
    return (await cloud.graph(method, `/${group}/invite_link`, body)).body.invite_link;
  };
  const join = async (phone: Cloud["ana"], invitation: string) => {
    return phone.act((deps) => joinGroup(deps, invitation.replace(/^.*\//, "")));
  };
  const messages = (body: object) => cloud.send({ messaging_product: "whatsapp", recipient_type: "group", to: group, ...body });

  it("are shown one by one and as a list", async () => {
    const { body } = await cloud.graph("GET", `/${cloud.number.phone_number_id}/groups`);
    expect(body.data.groups).toEqual([{ id: group, subject: "Clientes", created_at: expect.stringMatching(/^\d+$/) }]);
    expect((await cloud.graph("GET", `/${group}?fields=subject,participants,total_participant_count`)).body).toEqual({
      id: group,
      messaging_product: "whatsapp",
      subject: "Clientes",
      participants: [],
      total_participant_count: 0,
    });
  });

  it("are joined by a link; reading it twice returns the same one, POST creates another", async () => {
    const first = await link();
    expect(await link()).toBe(first);
    must(await join(cloud.ana, first));
    const added = await told("group_participants_add");
    expect(added).toMatchObject({ group_id: group, reason: "invite_link", added_participants: [{ wa_id: cloud.ana.pn }] });
    expect(await link("POST")).not.toBe(first);
    const eva = await cloud.world.newPhone("Eva");
    expect((await join(eva, first)).ok).toBe(false);
    must(await join(eva, await link()));
    await told("group_participants_add", (item) => item.added_participants[0].wa_id === eva.pn);
  });

  it("carry texts both ways, with receipts of each member", async () => {
    const { body } = await messages({ type: "text", text: { body: "a todos" } });
    const [{ id }] = body.messages;
    await shown(cloud.ana, (record) => record.text === "a todos" && record.chat_id.endsWith("@g.us"));
    const delivered = await cloud.app.change(({ value }) =>
      (value.statuses ?? []).some(
        (one: any) => one.id === id && one.status === "delivered" && one.recipient_participant_id === cloud.ana.pn,
      ),
    );
    expect(delivered.value.statuses[0]).toMatchObject({ recipient_id: group, recipient_type: "group", group_id: group });
    const chat = cloud.ana.inbox().find((record) => record.text === "a todos")?.chat_id ?? "";
    must(await cloud.ana.sendText(chat, "de mim"));
    expect(await cloud.app.message(({ text }) => text?.body === "de mim")).toMatchObject({ from: cloud.ana.pn, group_id: group });
  });

  it("report changes with the id of their request", async () => {
    const renamed = await cloud.graph("POST", `/${group}`, { messaging_product: "whatsapp", subject: "Novo", description: "Outra" });
    const { request_id } = renamed.body;
    expect(await told("group_settings_update", (item) => item.group_subject?.text === "Novo")).toMatchObject({ request_id });
    expect(await told("group_settings_update", (item) => item.group_description?.text === "Outra")).toMatchObject({ request_id });
    const picture = new FormData();
    const bytes = Buffer.from("a square picture");
    picture.set("messaging_product", "whatsapp");
    picture.set("file", new Blob([bytes], { type: "image/jpeg" }), "a.jpg");
    const changed = await cloud.graph("POST", `/${group}`, picture);
    const sha256 = createHash("sha256").update(bytes).digest("base64");
    expect(await told("group_settings_update", (item) => item.profile_picture)).toMatchObject({
      request_id: changed.body.request_id,
      profile_picture: { sha256, update_successful: true },
    });
  });

  it("lose the people whom the number removes", async () => {
    const participants = [{ user: cloud.ana.pn }];
    const { body } = await cloud.graph("DELETE", `/${group}/participants`, { messaging_product: "whatsapp", participants });
    const removed = await told("group_participants_remove");
    expect(removed).toMatchObject({
      request_id: body.request_id,
      initiated_by: "business",
      removed_participants: [{ wa_id: cloud.ana.pn }],
    });
  });

  it("require approval if created with that setting", async () => {
    await cloud.graph("POST", `/${cloud.number.phone_number_id}/groups`, {
      messaging_product: "whatsapp",
      subject: "Fechado",
      join_approval_mode: "approval_required",
    });
    const { group_id: closed, invite_link } = await told("group_create", (item) => item.subject === "Fechado");
    must(await join(cloud.ana, invite_link));
    const asked = await told("group_join_request_created");
    const { body } = await cloud.graph("GET", `/${closed}/join_requests`);
    expect(body.data).toEqual([{ join_request_id: asked.join_request_id, wa_id: cloud.ana.pn, creation_timestamp: expect.any(Number) }]);
    const join_requests = [asked.join_request_id, "another"];
    const approved = await cloud.graph("POST", `/${closed}/join_requests`, { messaging_product: "whatsapp", join_requests });
    expect(approved.body).toMatchObject({
      approved_join_requests: [asked.join_request_id],
      failed_join_requests: [{ join_request_id: "another", errors: [{ code: 131_009 }] }],
    });
    await told("group_participants_add", (item) => item.group_id === closed && item.reason === "join_request");
  });

  it("end for everyone when deleted", async () => {
    const { body } = await cloud.graph("DELETE", `/${group}`);
    expect(body).toEqual({ messaging_product: "whatsapp", request_id: expect.any(String) });
    expect(await told("group_delete")).toMatchObject({ group_id: group, request_id: body.request_id });
    expect((await cloud.graph("GET", `/${group}`)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    expect((await messages({ type: "text", text: { body: "x" } })).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });

  it("require official business accounts", async () => {
    await cloud.control("PATCH", `/cloud/numbers/${cloud.number.phone_number_id}`, { groups: false });
    const refused = await cloud.graph("POST", `/${cloud.number.phone_number_id}/groups`, { messaging_product: "whatsapp", subject: "x" });
    expect(refused.body.error.code).toBe(131_215);
  });

  it("exchange only what Meta's description allows", async () => {
    expect((await judgeTraffic(cloud.world.controlUrl)).problems).toEqual([]);
  });
});
