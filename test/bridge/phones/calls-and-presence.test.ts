import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptCall, endCall, placeCall, rejectCall } from "#root/test-network/phone/calls.ts";
import { presenceOf, showDoing, watchPresence } from "#root/test-network/phone/presence.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { BaileysClient } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { chatOf, jidOf, openWorld, type World } from "./world.ts";

describe("calls and presence", () => {
  let world: World;
  let anas: SimulatedPhone;
  let bob: SimulatedPhone;
  let ana: BaileysClient;
  beforeAll(async () => {
    // The unmodified client uses formats that a strict network refuses.
    world = await openWorld({ strict: false });
    ({ phone: anas, client: ana } = await world.pair("Ana"));
    bob = await world.newPhone("Bob");
  });
  afterAll(() => world.close());

  const ring = (video = false) => bob.act((deps) => placeCall(deps, anas.pn, video));
  const callSeen = (callId: string, status: string) =>
    ana.saw("call", (calls) => calls.find((call) => call.id === callId && call.status === status));
  const statusAt = (phone: SimulatedPhone, callId: string) => phone.deps.documents.get("call", callId)?.status;

  it("a call rings on the linked device and the phone until the device rejects it", async () => {
    const callId = await ring(true);
    const call = await callSeen(callId, "offer");
    expect(call).toMatchObject({ isVideo: true, from: jidOf(bob) });
    await eventually("the phone rings", 60_000, () => statusAt(anas, callId) === "ringing");
    await ana.sock.rejectCall(call.id, call.from);
    await eventually("the caller sees it", 60_000, () => statusAt(bob, callId) === "rejected");
    await eventually("the phone rings no more", 60_000, () => statusAt(anas, callId) === "ended");
    expect(await bob.act((deps) => endCall(deps, callId))).toBe(false);
  });

  it("a call stops ringing when the caller gives up or nobody answers", async () => {
    const [given, missed] = [await ring(), await ring()];
    expect(await bob.act((deps) => endCall(deps, given))).toBe(true);
    await callSeen(given, "terminate");
    expect(await bob.act((deps) => endCall(deps, missed, "timeout"))).toBe(true);
    await callSeen(missed, "timeout");
    await eventually("both over at the phone", 60_000, () => statusAt(anas, given) === "ended" && statusAt(anas, missed) === "ended");
  });

  it("the linked device learns that a call was accepted or refused on the phone", async () => {
    const [taken, refused] = [await ring(), await ring()];
    await eventually("the phone rings", 60_000, () => statusAt(anas, refused) === "ringing");
    expect(await anas.act((deps) => acceptCall(deps, taken))).toBe(true);
    expect(await anas.act((deps) => rejectCall(deps, refused))).toBe(true);
    await callSeen(taken, "accept");
    await callSeen(refused, "reject");
    await eventually("the caller sees both", 60_000, () => statusAt(bob, taken) === "accepted" && statusAt(bob, refused) === "rejected");
    expect(await anas.act((deps) => acceptCall(deps, "NONE"))).toBe(false);
  });

  it("the linked device sees who is online, typing and recording", async () => {
    const sees = (wanted: string) =>
      ana.saw("presence.update", ({ presences }) => Object.values(presences).some(({ lastKnownPresence }) => lastKnownPresence === wanted));
    await ana.sock.presenceSubscribe(jidOf(bob));
    bob.showOnline(true);
    await sees("available");
    showDoing(bob.deps, chatOf(anas), "typing");
    await sees("composing");
    showDoing(bob.deps, chatOf(anas), "recording");
    await sees("recording");
    showDoing(bob.deps, chatOf(anas), "paused");
    bob.showOnline(false);
    await sees("unavailable");
    expect(ana.all("presence.update").every(({ id }) => id === jidOf(bob))).toBe(true);
  });

  it("another phone sees the presence that the linked device sends", async () => {
    watchPresence(bob.deps, chatOf(anas));
    await ana.sock.sendPresenceUpdate("available");
    await eventually("online", 60_000, () => presenceOf(bob.deps, chatOf(anas)).online === true);
    await ana.sock.sendPresenceUpdate("composing", jidOf(bob));
    await eventually("typing", 60_000, () => presenceOf(bob.deps, chatOf(anas)).doing[anas.pn] === "typing");
    await ana.sock.sendPresenceUpdate("recording", jidOf(bob));
    await eventually("recording", 60_000, () => presenceOf(bob.deps, chatOf(anas)).doing[anas.pn] === "recording");
    await ana.sock.sendPresenceUpdate("paused", jidOf(bob));
    await ana.sock.sendPresenceUpdate("unavailable");
    await eventually("offline", 60_000, () => presenceOf(bob.deps, chatOf(anas)).online === false);
    const seen = presenceOf(bob.deps, chatOf(anas)).history.map(({ presence }) => presence);
    expect(seen.filter((presence) => presence !== "offline")).toEqual(["online", "typing", "recording", "paused"]);
  });
});
