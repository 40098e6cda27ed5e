// Own presence, presence subscriptions, rejected calls, and the account's limits.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ringingCallsOf } from "#root/session-bridge/networks/baileys/memory/ringing-calls.ts";
import { endCall, placeCall, rejectCall } from "#root/test-network/phone/calls.ts";
import { createGroup } from "#root/test-network/phone/groups.ts";
import { presenceOf, showDoing, watchPresence } from "#root/test-network/phone/presence.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { bestOfThree } from "../../support/promised-times.ts";
import type { Session, EventOf } from "../messages/session.ts";
import { chatOf, freshNumber, must, openWorld, type World } from "../messages/world.ts";
import { run, runOk, refusal } from "./run-command.ts";

const TIMEOUT_MS = 60_000;
/** How soon a rejected call must end on the caller's side. */
const DROPPED_IN_MS = 2_000;

describe.each(["pn", "lid"] as const)("on a network that addresses by %s", (addressing) => {
  let world: World;
  let anna: SimulatedPhone, carla: SimulatedPhone;
  let session: Session;
  beforeAll(async () => {
    world = await openWorld({ addressing, groupAddressing: addressing });
    // The session default: offline unless set otherwise.
    ({ phone: anna, session } = await world.pair("Anna", {}, undefined, { markOnlineOnConnect: false }));
    carla = await world.newPhone("Carla");
  });
  afterAll(() => world.close());

  const presences = (phone: SimulatedPhone = carla) =>
    session.eventsOf("presence").filter(({ chat_id, person }) => chat_id === chatOf(phone) && person.phone === phone.pn);
  const seenOnline = () => presenceOf(carla.deps, chatOf(anna)).online;
  const reconnect = async () => {
    const opened = () =>
      session.all("connection.update").filter(({ receivedPendingNotifications }) => receivedPendingNotifications === true).length;
    const before = opened();
    world.network.faults.add({ phone: anna.pn, kind: "drop_socket" });
    await eventually("the line lost", TIMEOUT_MS, () => !session.sock.ws.isOpen);
    session.connect();
    await eventually("the line back", TIMEOUT_MS, () => opened() > before);
  };

  describe("the number", () => {
    it("sets itself online and offline, also on the next socket", async () => {
      await eventually("its name known", TIMEOUT_MS, () => session.auth.creds.me?.name);
      watchPresence(carla.deps, chatOf(anna));
      await runOk(session, "presence.set", { presence: "online" });
      await eventually("online", TIMEOUT_MS, () => seenOnline() === true);
      await reconnect();
      await eventually(
        "online again",
        TIMEOUT_MS,
        () =>
          presenceOf(carla.deps, chatOf(anna))
            .history.slice(-2)
            .map(({ presence }) => presence)
            .join() === "offline,online",
      );
      await runOk(session, "presence.set", { presence: "offline" });
      await eventually("offline", TIMEOUT_MS, () => seenOnline() === false);
    });

    it("cannot set its presence while its profile name is unknown", async () => {
      const me = session.auth.creds.me!;
      session.auth.creds.me = { id: me.id };
      expect(await run(session, "presence.set", { presence: "online" })).toEqual(refusal({ code: "profile_name_unknown" }));
      session.auth.creds.me = me;
    });

    it("reads its quota of new chats", async () => {
      expect(await runOk(session, "account.limits", {})).toEqual({
        new_chat_quota: { total: 1000, used: 0, cycle_ends_at: null, status: "none" },
      });
      world.network.directory.account(anna.pn)!.newChatQuota = { total: 50, used: 50, status: "CAPPED", endsAt: 1_999_999_999 };
      expect(await runOk(session, "account.limits", {})).toEqual({
        new_chat_quota: { total: 50, used: 50, cycle_ends_at: 1_999_999_999, status: "capped" },
      });
      world.network.faults.add({ phone: anna.pn, kind: "iq_error", xmlns: "w:mex", times: 2 });
      expect(await run(session, "account.limits", {})).toEqual(refusal({ code: "network_rate_limited" }));
    });
  });

  describe("another person", () => {
    it("is reported from the subscription on, and on the next socket", async () => {
      carla.showOnline(true);
      await runOk(session, "presence.subscribe", { chat_ids: [chatOf(carla)], wait_ms: 5_000 });
      expect(
        presences().map(({ presence }) => presence),
        "answered with the first word",
      ).toEqual(["online"]);
      await runOk(session, "presence.subscribe", { chat_ids: [chatOf(carla)], wait_ms: 0 });
      await carla.act((phone) => showDoing(phone, anna.pn, "recording"));
      await session.waitForEvent("presence", ({ presence }) => presence === "recording");
      await reconnect();
      carla.showOnline(false);
      const gone = await session.waitForEvent("presence", ({ presence }) => presence === "offline");
      expect(gone).toMatchObject({ chat_id: chatOf(carla), person: { phone: carla.pn } });
      expect(gone.last_seen).toBeGreaterThan(1_700_000_000);
    });

    it("is no longer reported once unsubscribed", async () => {
      const dora = await world.newPhone("Dora");
      await runOk(session, "presence.subscribe", { chat_ids: [chatOf(dora), chatOf(carla)], wait_ms: 0 });
      await runOk(session, "presence.unsubscribe", { chat_id: chatOf(dora) });
      const before = presences(dora).length;
      dora.showOnline(true);
      await dora.act((phone) => showDoing(phone, anna.pn, "typing"));
      await carla.act((phone) => showDoing(phone, anna.pn, "typing"));
      await session.waitForEvent("presence", ({ chat_id, presence }) => chat_id === chatOf(carla) && presence === "typing");
      expect(presences(dora)).toHaveLength(before);
    });

    it("is reported typing in a group", async () => {
      const { group_id } = must(await carla.act((phone) => createGroup(phone, "Team", [anna.pn])));
      await runOk(session, "presence.subscribe", { chat_ids: [group_id], wait_ms: 0 });
      await carla.act((phone) => showDoing(phone, group_id, "typing"));
      const seen = await session.waitForEvent("presence", ({ chat_id }) => chat_id === group_id);
      expect(seen).toMatchObject({ person: { phone: carla.pn }, presence: "typing" });
    });

    it("cannot be subscribed to if they have no account", async () => {
      const dora = await world.newPhone("Dora");
      dora.showOnline(true);
      const chat_ids = [`${freshNumber()}@c.us`, chatOf(dora)];
      expect(await runOk(session, "presence.subscribe", { chat_ids, wait_ms: 0 })).toEqual({ chat_ids: [null, chatOf(dora)] });
      await session.waitForEvent("presence", ({ chat_id }) => chat_id === chatOf(dora));
    });
  });

  describe("a call", () => {
    const ring = () => carla.act((phone) => placeCall(phone, anna.pn, false));
    const received = (callId: string) => session.waitForEvent("call", ({ call_id, status }) => call_id === callId && status === "received");
    const atCaller = (callId: string) => carla.deps.documents.get("call", callId)?.status;
    const statusesOf = (callId: string): EventOf<"call">["status"][] =>
      session
        .eventsOf("call")
        .filter(({ call_id }) => call_id === callId)
        .map(({ status }) => status);

    it("is rejected: the caller sees it within two seconds, and no event is emitted", async () => {
      const callId = await ring();
      const { from } = await received(callId);
      const rejected = async (id: string) => {
        const startedAt = performance.now();
        await runOk(session, "calls.reject", { call_id: id, from });
        await eventually("dropped at the caller's", 60_000, () => atCaller(id) === "rejected");
        return performance.now() - startedAt;
      };
      await bestOfThree("dropped at the caller's", DROPPED_IN_MS, async (attempt) => {
        if (attempt === 0) return rejected(callId);
        const again = await ring();
        await received(again);
        return rejected(again);
      });
      // The phone rejects the call as well, and the library reports that too.
      await anna.act((phone) => rejectCall(phone, callId));
      const next = await ring();
      await received(next);
      expect(statusesOf(callId)).toEqual(["received"]);
      await carla.act((phone) => endCall(phone, next));
    });

    it("is rejected by a bridge that did not receive the offer", async () => {
      const callId = await ring();
      const { from } = await received(callId);
      ringingCallsOf(session.networkSession).remove(callId);
      await runOk(session, "calls.reject", { call_id: callId, from });
      await eventually("dropped at the caller's", 60_000, () => atCaller(callId) === "rejected");
    });

    it("is still reported as ended after its rejection failed", async () => {
      const callId = await ring();
      await received(callId);
      ringingCallsOf(session.networkSession).remove(callId);
      const nobody = { phone: freshNumber(), lid: null };
      expect(await run(session, "calls.reject", { call_id: callId, from: nobody })).toEqual(refusal({ code: "call_not_found" }));
      await carla.act((phone) => endCall(phone, callId));
      await session.waitForEvent("call", ({ call_id, status }) => call_id === callId && status === "ended");
    });
  });
});
