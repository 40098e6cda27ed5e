import { expect, it } from "vitest";
import { storeGroupSnapshot } from "#root/durable-objects/connection/groups/projection.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { StorePurge } from "#root/durable-objects/connection/store/purge.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { ANA, BIA, GROUP, NOW, T0, ana, bia, withStores, types, upsert } from "./world.ts";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const me = { phone: "5511900000001", lid: "111222333444555" };
const open: NetworkEvent = {
  type: "session.open",
  phone: me.phone,
  lid: me.lid,
  profile_name: null,
  is_business: true,
  platform: null,
  timestamp: T0,
};
const settings = {
  messages_admins_only: false,
  info_admins_only: true,
  members_can_add: true,
  join_approval: false,
  disappearing_seconds: 0,
};
const snapshot: NetworkEvent = {
  type: "group.snapshot",
  group: {
    group_id: GROUP,
    subject: "Vendas",
    description: "d",
    owner: ana,
    created_at: T0,
    settings,
    community_id: null,
    is_announcement_group: false,
    participants: [
      { person: ana, role: "superadmin" },
      { person: { phone: null, lid: me.lid }, role: "admin" },
    ],
  },
};
const members = (
  action: "join" | "leave" | "promote" | "demote",
  person: { phone: string | null; lid: string | null },
  is_me = false,
): NetworkEvent => ({
  type: "group.participants",
  chat_id: GROUP,
  action,
  participants: [{ person, is_me }],
  by: ana,
  reason: null,
  timestamp: T0,
});

it("the store keeps a group, its participants and our own role in it", () =>
  withStores(({ emitted, stores }) => {
    expect(emitted(open, snapshot)).toEqual([]);
    expect(stores.groups.get(GROUP)).toEqual({
      group_id: GROUP,
      subject: "Vendas",
      description: "d",
      owner: ana,
      created_at: T0 * 1000,
      size: 2,
      my_role: "admin",
      settings,
      invite_link: null,
      community_id: null,
      is_announcement_group: false,
      participants: [
        { person: me, name: null, role: "admin" },
        { person: ana, name: null, role: "superadmin" },
      ],
    });
  }));

it("the store keeps who joins, leaves, is promoted and demoted, with an event for each", () =>
  withStores(({ emitted, stores }) => {
    emitted(open, snapshot);
    expect(emitted(members("join", bia), members("promote", bia), members("demote", me, true), members("leave", ana))).toHaveLength(4);
    const group = stores.groups.get(GROUP);
    expect(group).toMatchObject({ size: 2, my_role: "member" });
    expect(group?.participants?.map(({ person, role }) => [person.phone, role])).toEqual([
      [me.phone, "member"],
      [bia.phone, "admin"],
    ]);
    emitted(members("leave", me, true));
    expect(stores.groups.get(GROUP)?.my_role).toBe("none");
  }));

it("the store lists a member known by LID under the phone number, also in a group that a call has read", () =>
  withStores(({ emitted, stores }) => {
    const lid = "99887766554433";
    emitted({ type: "lid.mapped", lid, phone: bia.phone });
    storeGroupSnapshot(stores, { ...snapshotGroup(), participants: [{ person: { phone: null, lid }, role: "member" }] }, NOW);
    expect(stores.groups.roleOf(GROUP, stores.lids.chatIds(BIA))).toBe("member");
    emitted(members("leave", { phone: null, lid }));
    expect(stores.groups.get(GROUP)).toMatchObject({ size: 0, participants: [] });
  }));

it("the store shows a group in the chat list as soon as the number joined it", () =>
  withStores(({ emitted, stores }) => {
    emitted(open, members("join", me, true));
    expect(stores.chatQueries.get(GROUP)).toMatchObject({ kind: "group", last_message: null });
    emitted(snapshot);
    expect(stores.chatQueries.get(GROUP)?.name).toBe("Vendas");
  }));

it("the store changes only what a group's update names", () =>
  withStores(({ emitted, stores }) => {
    emitted(open, snapshot);
    const changed = { description: null, messages_admins_only: true, disappearing_seconds: 86_400 };
    expect(emitted({ type: "group.updated", chat_id: GROUP, by: ana, changed, timestamp: T0 })).toMatchObject([
      { type: "group.updated", changed },
    ]);
    expect(stores.groups.get(GROUP)).toMatchObject({
      subject: "Vendas",
      description: null,
      settings: { messages_admins_only: true, info_admins_only: true, disappearing_seconds: 86_400 },
    });
    emitted({ type: "group.removed", group_id: GROUP });
    expect(stores.groups.get(GROUP)).toBeNull();
  }));

it("the store lists groups by subject, and by a part of it", () =>
  withStores(({ apply, stores }) => {
    for (const [at, subject] of ["Vendas", "apoio", "Diretoria"].entries()) {
      apply({ type: "group.updated", chat_id: `12036300000000000${at}@g.us`, by: null, changed: { subject }, timestamp: T0 });
      apply({ type: "group.snapshot", group: { ...snapshotGroup(), group_id: `12036300000000000${at}@g.us`, subject } });
    }
    const subjects = (q: string | null) => {
      const result = stores.groups.list({ limit: 50, cursor: null, q });
      return result.ok ? result.value.items.map(({ subject }) => subject) : result.failure.code;
    };
    expect(subjects(null)).toEqual(["apoio", "Diretoria", "Vendas"]);
    expect(subjects("RETOR")).toEqual(["Diretoria"]);
    expect(subjects("ve")).toEqual(["Vendas"]);
  }));

function snapshotGroup(): Extract<NetworkEvent, { type: "group.snapshot" }>["group"] {
  if (snapshot.type !== "group.snapshot") throw new Error("not a snapshot");
  return snapshot.group;
}

const label = (name: string, change: Partial<Extract<NetworkEvent, { type: "label.updated" }>> = {}): NetworkEvent => ({
  type: "label.updated",
  label_id: "7",
  name,
  color: 3,
  predefined: false,
  timestamp: T0,
  ...change,
});
const labelChat = (labelled: boolean): NetworkEvent => ({ type: "label.chat", label_id: "7", chat_id: ANA, labelled, timestamp: T0 });

it("the store emits only changes of labels, and the name of a deleted one", () =>
  withStores(({ emitted, stores }) => {
    expect(emitted(label("Novo"), label("Novo"), label("Pago"), label("Pago", { color: 4 }))).toMatchObject([
      { type: "label.updated", label_id: "7", name: "Novo", color: 3 },
      { name: "Pago", color: 3 },
      { name: "Pago", color: 4 },
    ]);
    expect(emitted(labelChat(true), labelChat(true), labelChat(false), labelChat(false), labelChat(true))).toMatchObject([
      { type: "label.chat", label_id: "7", name: "Pago", chat_id: ANA, phone: ana.phone, labelled: true },
      { labelled: false },
      { labelled: true },
    ]);
    expect(stores.labels.list()).toEqual([{ label_id: "7", name: "Pago", color: 4, predefined: false, chats_count: 1 }]);
    expect(stores.labels.ofChat(ANA)).toHaveLength(1);
    const deleted = (label_id: string): NetworkEvent => ({ type: "label.deleted", label_id, timestamp: T0 });
    expect(emitted(deleted("7"), deleted("7"), deleted("8"))).toEqual([
      { type: "label.deleted", label_id: "7", name: "Pago", timestamp: T0 },
      { type: "label.deleted", label_id: "8", name: null, timestamp: T0 },
    ]);
    expect(stores.labels.list()).toEqual([]);
    expect(stores.labels.get("7")).toBeNull();
    expect(stores.labels.ofChat(ANA)).toEqual([]);
    expect(emitted(label("Pago"))).toMatchObject([{ type: "label.updated" }]);
  }));

it("the store emits a labelled chat before the label's name is known", () =>
  withStores(({ emitted }) => {
    expect(emitted(labelChat(true))).toMatchObject([{ type: "label.chat", name: null }]);
  }));

const call = (status: "received" | "accepted" | "rejected" | "ended", call_id = "C1"): NetworkEvent => ({
  type: "call",
  call_id,
  chat_id: ANA,
  from: ana,
  is_video: false,
  is_group: false,
  status,
  timestamp: T0,
});

it("the store emits calls that ring, are answered elsewhere or rejected, and only stores missed ones", () =>
  withStores(({ emitted, stores }) => {
    const calls = (...events: NetworkEvent[]) => emitted(...events).flatMap((event) => (event.type === "call" ? [event.status] : []));
    expect(calls(call("received"), call("accepted"), call("ended"))).toEqual(["received", "accepted"]);
    expect(calls(call("received", "C2"), call("ended", "C2"))).toEqual(["received"]);
    expect(calls(call("received", "C3"), call("rejected", "C3"), call("rejected", "C3"))).toEqual(["received", "rejected"]);
    expect(stores.calls.list(10, T0 * 1000).map(({ call_id, status }) => [call_id, status])).toEqual([
      ["C3", "rejected"],
      ["C2", "missed"],
      ["C1", "accepted"],
    ]);
  }));

it("the store emits nothing for a rejection made through the API", () =>
  withStores(({ emitted, stores }) => {
    emitted(call("received"));
    stores.calls.markRejectedHere("C1");
    expect(emitted(call("rejected"), call("ended"))).toEqual([]);
    expect(stores.calls.get("C1", T0 * 1000)?.status).toBe("rejected");
  }));

const online: Extract<NetworkEvent, { type: "presence" }> = {
  type: "presence",
  chat_id: ANA,
  person: ana,
  presence: "online",
  last_seen: null,
  timestamp: T0,
};

it("the store emits presence only for subscribed chats, at most 500", () =>
  withStores(({ emitted, stores }) => {
    expect(emitted(online)).toEqual([]);
    expect(stores.presences.get(ANA)).toMatchObject({ presence: "unknown", subscribed: false });
    expect(stores.presences.subscribe(ANA)).toBe("subscribed");
    expect(emitted(online, { ...online, presence: "typing" })).toMatchObject([
      { type: "presence", presence: "online" },
      { presence: "typing" },
    ]);
    expect(stores.presences.get(ANA)).toMatchObject({ presence: "typing", subscribed: true, updated_at: NOW });
    for (let n = 1; n < 500; n++) expect(stores.presences.subscribe(`55119${String(n).padStart(8, "0")}@c.us`)).toBe("subscribed");
    expect(stores.presences.subscribe(BIA)).toBe("full");
    expect(stores.presences.subscribe(ANA)).toBe("subscribed");
    stores.presences.unsubscribe(ANA);
    expect(emitted(online)).toEqual([]);
    expect(stores.presences.subscribe(BIA)).toBe("subscribed");
  }));

it("the store shows the presence of a group by its people", () =>
  withStores(({ emitted, stores }) => {
    stores.presences.subscribe(GROUP);
    emitted({ ...online, chat_id: GROUP }, { ...online, chat_id: GROUP, person: bia, presence: "paused" });
    expect(stores.presences.get(GROUP).participants.toSorted((a, b) => (a.person.phone ?? "").localeCompare(b.person.phone ?? ""))).toEqual(
      [
        { person: bia, presence: "online" },
        { person: ana, presence: "online" },
      ],
    );
  }));

it("the store keeps channels from their events", () =>
  withStores(({ apply, stores }) => {
    const channel_id = "120363000000000009@newsletter";
    apply(
      { type: "channel.updated", channel_id, name: "Notícias", role: "subscriber", created_at: T0 },
      { type: "channel.updated", channel_id, subscribers: 10, muted: true },
    );
    expect(stores.channels.get(channel_id)).toEqual({
      channel_id,
      name: "Notícias",
      description: null,
      invite_link: null,
      role: "subscriber",
      subscribers: 10,
      verified: false,
      muted: true,
      picture: null,
      created_at: T0 * 1000,
    });
    expect(stores.channels.list("owner", 10)).toEqual([]);
    apply({ type: "channel.removed", channel_id });
    expect(stores.channels.list(null, 10)).toEqual([]);
  }));

it("the store passes on session events, settled sends in order, and the profile's name", () =>
  withStores(({ projection }) => {
    const settled: NetworkEvent = { type: "send.settled", message_id: "X", outcome: { kind: "uncertain" } };
    const ended: unknown[] = [];
    const events = [open, settled, { type: "profile.updated", name: "Loja" } as const].map((event) => ({ key: null, event }));
    const result = projection.apply(events, NOW, (event) => {
      ended.push(event);
      return [];
    });
    expect(result).toEqual({ facts: [], sessionEvents: [open], confirmedSends: [], recountedSends: [], received: [], profileName: "Loja" });
    expect(ended).toEqual([settled]);
  }));

it("the store deletes calls after 7 days, status posts after one, and dedupe keys after 8, in batches", () =>
  withStores(({ projection, sql, stores }) => {
    const count = (table: string) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
    const purge = new StorePurge(
      sql,
      () => null,
      () => undefined,
      gridOf("", HOUR_MS),
      new StoredTimes(sql).of("orphans_searched"),
    );
    expect(purge.nextDue()).toBeNull();
    const events = Array.from({ length: 700 }, (_, n) => ({
      key: `k${n}`,
      event: { ...call("received", `C${n}`), timestamp: T0 } as NetworkEvent,
    }));
    projection.apply(
      [...events, { key: null, event: upsert({ chat_id: "status@broadcast", sender: bia }) }, { key: null, event: upsert() }],
      NOW,
    );

    const due = purge.nextDue() ?? 0;
    expect(due).toBeGreaterThanOrEqual(NOW + DAY_MS);
    expect(due).toBeLessThanOrEqual(NOW + DAY_MS + HOUR_MS);
    purge.run(due - 1);
    expect(count("messages")).toBe(2);
    purge.run(due);
    expect(count("messages")).toBe(1);
    expect(stores.messages.lastMessages(ANA)).toHaveLength(1);

    const calls = purge.nextDue() ?? 0;
    expect(calls).toBeGreaterThanOrEqual(NOW + 7 * DAY_MS);
    purge.run(calls);
    expect(count("calls")).toBe(200);
    expect(purge.nextDue()).toBe(calls);
    purge.run(calls);
    expect(count("calls")).toBe(0);

    const keys = purge.nextDue() ?? 0;
    expect(keys).toBeGreaterThanOrEqual(NOW + 8 * DAY_MS);
    expect(types(projection.apply(events.slice(0, 1), NOW).facts)).toEqual([]);
    purge.run(keys);
    purge.run(keys);
    expect(count("dedupe_key")).toBe(0);
    expect(purge.nextDue()).toBeNull();
  }));
