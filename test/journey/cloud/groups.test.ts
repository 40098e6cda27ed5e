// A Cloud API number's groups, from the creation request to their end, against the local Graph network.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CloudStore, openCloudStore } from "../../support/cloud/store.ts";
import { eventually } from "../../support/eventually.ts";
import { failed, ok, refused } from "../../support/replies.ts";
import { JPEG, PNG } from "../../support/sample-files.ts";

const [STORE, ANA, BIA] = ["5511900000701", "5511900000702", "5511900000703"] as const;
const WITHIN_MS = 60_000;

let receiver: CloudStore["receiver"];
let store: CloudStore["store"];
let control: CloudStore["control"];
let network: CloudStore["network"];
let instance: CloudStore["instance"];
let close: CloudStore["close"];
beforeAll(async () => {
  ({ receiver, store, control, network, instance, close } = await openCloudStore(STORE, { [ANA]: "Ana", [BIA]: "Bia" }));
});
afterAll(() => close());

const api = (method: string, path: string, json?: unknown) => store.api.call(method, path, json);
const told = (type: string, what: string, fits: (data: Record<string, any>) => boolean) =>
  eventually(`${type}: ${what}`, WITHIN_MS, () =>
    receiver.events<{ type: string; data: Record<string, any> }>().find((event) => event.type === type && fits(event.data)),
  ).then(({ data }) => data);
const onPhone = (phone: string, path: string, json: unknown = {}) => ok(network.call("POST", `/phones/${phone}${path}`, json));
const requestsOf = async (path: RegExp) => (await control.requests()).filter((one) => path.test(one.path ?? one.url));

/** Requests a group and returns its chat id. */
async function newGroup(subject: string, change: object = {}): Promise<string> {
  await ok(api("POST", "/groups", { subject, participants: [], ...change }), 202);
  const { chat_id } = await told("group.participants", subject, (data) => isMade(data) && !made.has(data["chat_id"]));
  made.add(chat_id);
  return chat_id;
}
const made = new Set<string>();
/** The requested group exists once the number itself has joined it. */
const isMade = ({ action, participants }: Record<string, any>): boolean => action === "join" && participants[0].is_me === true;

async function join(phone: string, group: string): Promise<string> {
  const { code } = (await ok(api("GET", `/groups/${group}/invite-code`))).data;
  return (await onPhone(phone, "/groups/join", { invite_code: code })).group_id;
}

describe("a group", () => {
  it("is created by a request on both APIs, joined by its link, written in, and deleted", async () => {
    const asked = await instance("POST", "/groups", { subject: "Vendas", participants: [], description: "Avisos" });
    expect(asked).toMatchObject({ status: 202, body: { data: { request_id: expect.any(String) } } });
    const created = await told("group.participants", "made", isMade);
    const group = created["chat_id"] as string;
    made.add(group);
    expect(created).toMatchObject({ action: "join", participants: [{ phone: STORE, is_me: true }], by: STORE });
    expect((await ok(instance("GET", "/groups"))).data).toMatchObject([
      { group_id: group, subject: "Vendas", description: "Avisos", my_role: "superadmin", size: 1 },
    ]);

    // Reading the link does not change it.
    const link = (await ok(instance("GET", `/groups/${group}/invite-code`))).data;
    expect((await ok(api("GET", `/groups/${group}/invite-code`))).data).toEqual(link);
    expect(link.link).toContain(link.code);

    // Ana joins.
    await onPhone(ANA, "/groups/join", { invite_code: link.code });
    expect(await told("group.participants", "joined", ({ participants }) => participants[0].phone === ANA)).toMatchObject({
      chat_id: group,
      action: "join",
      reason: "invite_link",
    });
    expect((await ok(api("GET", `/groups/${group}/participants`))).data).toMatchObject([
      { phone: STORE, role: "superadmin" },
      { phone: ANA, role: "member" },
    ]);

    // Messages go both ways, with receipts.
    const sent = await ok(api("POST", "/messages/text", { chat_id: group, text: "Bom dia, grupo" }));
    expect(sent).toMatchObject({ chat_id: group, is_group: true, to: null });
    const [theirs] = await eventually("in the group on the phone", WITHIN_MS, async () => {
      const inbox = (await network.inbox(ANA)).filter(({ text }) => text === "Bom dia, grupo");
      return inbox.length > 0 ? inbox : null;
    });
    await told("message.status", "delivered", (data) => data["message_id"] === sent.message_id && data["status"] === "delivered");
    await onPhone(ANA, "/read", { chat_id: theirs?.["chat_id"] });
    expect(
      await told("message.status", "read", (data) => data["message_id"] === sent.message_id && data["status"] === "read"),
    ).toMatchObject({
      chat_id: group,
      is_group: true,
    });
    await network.send(ANA, { chat_id: theirs?.["chat_id"], text: "Bom dia!" });
    expect(await told("message.received", "answer", ({ text }) => text === "Bom dia!")).toMatchObject({
      chat_id: group,
      is_group: true,
      from: ANA,
    });

    // The number removes Ana.
    const removed = await ok(instance("POST", `/groups/${group}/participants/remove`, { participants: [`${ANA}@c.us`] }));
    expect(removed.data).toMatchObject([{ phone: ANA, status: "ok", code: 200 }]);
    expect(await told("group.participants", "removed", ({ action }) => action === "leave")).toMatchObject({
      chat_id: group,
      participants: [{ phone: ANA, is_me: false }],
      by: STORE,
      reason: "removed",
    });

    expect(await ok(api("DELETE", `/groups/${group}`))).toEqual({ ok: true });
    expect(await api("GET", `/groups/${group}`)).toMatchObject(failed(404, "grupo_nao_encontrado"));
    expect(await api("GET", `/chats/${group}`)).toMatchObject(failed(404, "conversa_nao_encontrada"));
    expect((await ok(instance("GET", "/groups"))).data).toEqual([]);
  });

  it("is empty when created, and contains only its members and the number", async () => {
    await refused(api("POST", "/groups", { subject: "x", participants: [ANA] }), 422, "limite_do_tipo");
    expect(await instance("POST", "/groups", { subject: "x", participants: [ANA] })).toMatchObject({
      status: 422,
      body: { error: { code: "limit_of_kind" } },
    });
    expect((await requestsOf(/groups/)).filter(({ body }) => JSON.stringify(body ?? "").includes('"x"'))).toEqual([]);
    for (const action of ["add", "promote", "demote"]) {
      await refused(api("POST", `/groups/120363000000000001@g.us/participants/${action}`, { participants: [ANA] }), 501, "nao_suportado");
    }
  });

  it("gets another name, description and picture, which its members see", async () => {
    const group = await newGroup("Antes");
    const onAna = await join(ANA, group);
    await ok(api("PUT", `/groups/${group}/subject`, { subject: "Depois" }));
    await ok(instance("PUT", `/groups/${group}/description`, { description: "Das 9 às 18" }));
    await told("group.updated", "name", ({ changed }) => changed.subject === "Depois");
    await told("group.updated", "description", ({ changed }) => changed.description === "Das 9 às 18");
    const media = { base64: JPEG.toString("base64") };
    await ok(api("PUT", `/groups/${group}/picture`, { media }));
    await told("group.updated", "picture", ({ changed }) => changed.picture_changed === true);
    await refused(api("PUT", `/groups/${group}/picture`, { media: { base64: PNG.toString("base64") } }), 422, "midia_invalida");
    await refused(api("DELETE", `/groups/${group}/picture`), 501, "nao_suportado");
    const seen = (await ok(network.call("GET", `/phones/${ANA}/groups/${onAna}`))).data;
    expect(seen).toMatchObject({ subject: "Depois", description: "Das 9 às 18" });
    expect((await ok(api("GET", `/groups/${group}`))).data).toMatchObject({ subject: "Depois", description: "Das 9 às 18" });
  });

  it("admits people whose requests are approved, and no others", async () => {
    const group = await newGroup("Fechado", { join_approval: true });
    const { code, link } = (await ok(api("GET", `/groups/${group}/invite-code`))).data;
    for (const phone of [ANA, BIA]) await onPhone(phone, "/groups/join", { invite_code: code });
    const requests = async () => (await ok<{ data: { phone: string }[] }>(instance("GET", `/groups/${group}/requests`))).data;
    expect((await requests()).map(({ phone }) => phone).toSorted()).toEqual([ANA, BIA]);
    expect((await ok(api("POST", `/groups/${group}/requests/approve`, { participants: [ANA] }))).data).toMatchObject([
      { phone: ANA, status: "ok" },
    ]);
    expect((await ok(instance("POST", `/groups/${group}/requests/reject`, { participants: [BIA] }))).data).toMatchObject([
      { phone: BIA, status: "ok" },
    ]);
    expect(await requests()).toEqual([]);
    await refused(api("POST", `/groups/${group}/requests/approve`, { participants: [BIA] }), 404, "contato_nao_encontrado");
    const members = (await ok<{ data: { phone: string }[] }>(api("GET", `/groups/${group}/participants`))).data;
    expect(members.map(({ phone }) => phone).toSorted()).toEqual([STORE, ANA]);

    const renewed = (await ok(api("POST", `/groups/${group}/invite-code/revoke`))).data;
    expect(renewed.link).not.toBe(link);
    expect((await network.call("POST", `/phones/${BIA}/groups/join`, { invite_code: code })).status).toBeGreaterThan(399);
  });

  it("is not changed without an answer in time", async () => {
    const group = await newGroup("Mudo");
    await control.fault("hold_webhooks");
    try {
      await refused(api("PUT", `/groups/${group}/subject`, { subject: "Sem resposta" }), 504, "tempo_esgotado");
      expect((await ok(api("GET", "/groups"))).data).toContainEqual(expect.objectContaining({ group_id: group, subject: "Mudo" }));
    } finally {
      await control.fault("release");
    }
    // A late result still counts.
    await told("group.updated", "late", ({ changed }) => changed.subject === "Sem resposta");
  });

  it("is refused with that reason on a number without the Groups API", async () => {
    await control.change({ groups: false });
    try {
      await refused(api("POST", "/groups", { subject: "Nada", participants: [] }), 403, "sem_permissao");
    } finally {
      await control.change({ groups: true });
    }
  });
});
