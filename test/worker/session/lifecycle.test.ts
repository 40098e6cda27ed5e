// The lifecycle of an instance: pairing, connected, and every way it ends.
import { afterEach, describe, expect, it, vi } from "vitest";
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { allEnded, event, PHONE, TestConnection } from "../fakes/connection.ts";
import { Receiver } from "../fakes/receiver.ts";

async function created(change: Parameters<typeof TestConnection.create>[0] = {}) {
  const connection = await TestConnection.create(change);
  return connection;
}
afterEach(async () => {
  await allEnded();
  vi.restoreAllMocks();
});

describe("pairing", () => {
  it("shows a QR, then another, then is connected, with one event for each", async () => {
    const connection = await created();
    const receiver = await Receiver.of(connection);
    const bridge = await connection.bridge();
    expect(await connection.status()).toBe("disconnected/created");
    expect(await connection.ask("instance.qr", {})).toMatchObject({ code: "qr_not_available" });
    await connection.ask("instance.connect", { force_new_pairing: false });
    expect(await connection.status()).toBe("connecting/starting");
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    expect(await connection.status()).toBe("scan_qr/waiting_scan");
    expect(await connection.ask("instance.qr", {})).toMatchObject({ value: { raw: "2@qr-1" } });
    await session.commit([event.qr(2)]);
    expect(await connection.ask("instance.qr", {})).toMatchObject({ value: { raw: "2@qr-2" } });
    await session.commit([event.paired()], [["creds|me", "AAAA"]]);
    expect(await connection.status()).toBe("connecting/pairing");
    await session.commit([event.closed("restart_required", 515)]);
    await session.commit([event.open()]);
    expect(await connection.status()).toBe("connected/ok");
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "scan_qr" });
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "connected", previous_status: "scan_qr", phone: PHONE });
    expect(receiver.deliveries).toEqual([]);
    expect(await connection.ask("instance.get", {})).toMatchObject({
      value: { phone: PHONE, profile_name: "Ana", platform: "android", is_business: false, qr_expires_at: null, reconnect: null },
    });
  });

  it("ends when nobody scans, and does not restart by itself", async () => {
    const connection = await created();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    await session.commit([event.closed("qr_timeout", 408)]);
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
    expect(await connection.status()).toBe("disconnected/qr_timeout");
    expect(bridge.control.rest).toEqual([]);
  });

  it("does not answer with an expired QR", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const connection = await created();
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    await (await bridge.open(connection.uuid)).commit([event.qr(1)]);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await connection.ask("instance.qr", {})).toMatchObject({ code: "qr_not_available" });
    expect(await connection.ask("instance.get", {})).toMatchObject({ value: { status: "scan_qr", qr_expires_at: null } });
  });

  it("waits for the QR if it is by code, and is limited to 3 codes in 10 minutes", async () => {
    const connection = await created();
    const bridge = await connection.bridge();
    const code = () => connection.ask("instance.pairing_code", { phone: PHONE, code: null });
    expect(await code()).toMatchObject({ code: "instance_not_connected" });
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    const early = code();
    await session.commit([event.qr(1)]);
    const asked = await session.answer("session.pairing_code", { code: "ABCD1234", expires_at: 1 });
    expect(asked).toEqual({ phone: PHONE, code: null });
    expect(await early).toEqual({ ok: true, value: { code: "ABCD1234", phone: PHONE, expires_at: 1 } });
    expect(await connection.status()).toBe("scan_qr/pairing_code_issued");
    for (let n = 2; n <= 3; n++) {
      const next = code();
      await session.answer("session.pairing_code", { code: "ABCD1234", expires_at: 1 });
      expect(await next).toMatchObject({ ok: true });
    }
    expect(await code()).toMatchObject({ code: "rate_limited" });
    await session.commit([event.open()]);
    expect(await code()).toMatchObject({ code: "already_connected" });
  });

  it("reports a passkey that the account wants, and passes its answer on", async () => {
    const connection = await created();
    const receiver = await Receiver.of(connection);
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    await session.commit([event.qr(1)]);
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "scan_qr" });
    const bytes = "AAAA";
    const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes };
    const assertion = { id: bytes, rawId: bytes, type: "public-key" as const, response };
    expect(await connection.ask("instance.passkey_assertion", { assertion })).toMatchObject({ code: "passkey_not_wanted" });
    const now = Math.floor(Date.now() / 1000);
    const options = { challenge: bytes, rpId: "whatsapp.com", userVerification: "required" };
    await session.commit([{ type: "session.passkey", options, expires_at: now + 300, timestamp: now }]);
    expect(await connection.status()).toBe("connecting/passkey_wanted");
    expect((await receiver.next("instance.status")).data).toMatchObject({
      status: "disconnected",
      reason: "passkey_wanted",
    });
    expect(await connection.ask("instance.passkey", {})).toMatchObject({ value: { options } });
    const answered = connection.ask("instance.passkey_assertion", { assertion });
    expect(await session.answer("session.passkey", {})).toEqual({ assertion });
    expect(await answered).toMatchObject({ ok: true });
    expect(await connection.status()).toBe("connecting/pairing");
    expect(await connection.ask("instance.passkey", {})).toMatchObject({ code: "passkey_not_wanted" });
  });

  it("ends when nobody uses the passkey in time, tells the owner, and takes no answer after that", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const connection = await created();
    const receiver = await Receiver.of(connection);
    const bridge = await connection.bridge();
    await connection.ask("instance.connect", { force_new_pairing: false });
    const session = await bridge.open(connection.uuid);
    const now = Math.floor(Date.now() / 1000);
    const options = { challenge: "AAAA", rpId: "whatsapp.com" };
    await session.commit([{ type: "session.passkey", options, expires_at: now + 300, timestamp: now }]);
    expect((await receiver.next("instance.status")).data).toMatchObject({ reason: "passkey_wanted" });
    await connection.after(299_000);
    expect(await connection.ask("instance.passkey", {})).toMatchObject({ value: { options } });
    await connection.after(2_000);
    const response = { clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA" };
    const late = { assertion: { id: "AAAA", rawId: "AAAA", type: "public-key" as const, response } };
    // The request is over even before the bridge has reported its end.
    expect(await connection.ask("instance.passkey", {})).toMatchObject({ code: "passkey_not_wanted" });
    expect(await connection.ask("instance.passkey_assertion", late)).toMatchObject({ code: "passkey_not_wanted" });
    await session.commit([event.closed("passkey_timeout", 408)]);
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
    expect(await connection.status()).toBe("disconnected/passkey_timeout");
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "disconnected", reason: "passkey_timeout" });
    expect(await connection.ask("instance.passkey", {})).toMatchObject({ code: "passkey_not_wanted" });
    expect(await connection.ask("instance.passkey_assertion", late)).toMatchObject({ code: "passkey_not_wanted" });
    expect(bridge.control.rest).toEqual([]);
  });

  it("unlinks the old device and deletes its keys when it is forced", async () => {
    const { connection, bridge, session } = await TestConnection.connected();
    session.stubborn = true;
    await session.commit([], [["creds|me", "AAAA"]]);
    await connection.ask("instance.connect", { force_new_pairing: true });
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
    // Unlinking takes time and requires acknowledged commits; the next session starts only afterwards.
    await session.commit([], [["creds|me", "AAAA"]]);
    expect(bridge.control.rest).toEqual([]);
    session.drop();
    const next = await bridge.open(connection.uuid);
    expect(next.rows.size).toBe(0);
  });
});

describe("the network closes a session", () => {
  it.each([
    ["logged_out", 401, "disconnected/logged_out"],
    ["replaced", 440, "disconnected/replaced"],
    ["banned", 403, "failed/locked"],
    ["banned", 406, "failed/banned"],
    ["temporarily_banned", 402, "failed/temporarily_banned"],
    ["client_outdated", 405, "failed/client_outdated"],
    ["bad_session", 415, "failed/bad_session"],
    ["bad_session", 418, "failed/bad_session"],
    ["multidevice_mismatch", 411, "failed/multidevice_mismatch"],
    ["passkey_unsupported", 0, "failed/passkey_unsupported"],
  ] as const)("for good: %s (%i)", async (reason, code, status) => {
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([], [["creds|me", "AAAA"]]);
    await session.commit([event.closed(reason, code)]);
    expect(await connection.status()).toBe(status);
    expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: false });
    const [announced, why] = status.split("/");
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: announced, previous_status: "connected", reason: why });
    const kept = await connection.sql("SELECT key FROM state_row");
    expect(kept).toHaveLength(reason === "logged_out" ? 0 : 1);
    expect(await connection.send("hello")).toMatchObject({ code: "instance_not_connected" });
  });

  it("temporarily, and the event says why and until when", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([], [["creds|me", "AAAA"]]);
    const ends_at = Date.UTC(2030, 0, 1, 1) / 1000;
    await session.commit([event.closed("temporarily_banned", 402, { code: 104, ends_at })]);
    const ban = { code: 104, ends_at: "2030-01-01T01:00:00.000Z" };
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "failed", reason: "temporarily_banned", ban });
  });

  it.each([
    ["lost", 428],
    ["lost", 408],
    ["lost", 503],
    ["bad_session", 500],
    ["restart_required", 515],
    ["proxy_error", 0],
  ] as const)("for now: %s (%i), and nobody hears of it when it is back within 10 s", async (reason, code) => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([event.closed(reason, code)]);
    expect(await connection.status()).toBe("connecting/reconnecting");
    await connection.after(9_000);
    await session.commit([event.open()]);
    await connection.after(60_000);
    expect(await connection.status()).toBe("connected/ok");
    expect(receiver.deliveries).toEqual([]);
  });

  it("for longer: an event after 10 s, and one when it has reconnected", async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ["Date"] });
    const { connection, session } = await TestConnection.connected();
    const receiver = await Receiver.of(connection);
    await session.commit([event.closed("lost", 428)]);
    const timestamp = Math.floor(Date.now() / 1000);
    await session.commit([{ type: "session.reconnecting", attempt: 1, next_at: timestamp + 1, timestamp }]);
    await connection.after(9_999);
    expect(receiver.deliveries).toEqual([]);
    await connection.after(1);
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "disconnected", reason: "reconnecting" });
    await session.commit([event.open()]);
    expect((await receiver.next("instance.status")).data).toMatchObject({ status: "connected", previous_status: "disconnected" });
  });
});

describe("lifecycle calls", () => {
  it("are allowed in every state, and idempotent", async () => {
    const connection = await created();
    const verbs = ["instance.disconnect", "instance.restart", "instance.logout"] as const;
    for (const first of verbs) {
      for (const second of verbs) {
        expect(await connection.ask(first, {})).toEqual({ ok: true, value: {} });
        expect(await connection.ask(second, {})).toEqual({ ok: true, value: {} });
        expect(await connection.ask(second, {})).toEqual({ ok: true, value: {} });
        expect(await connection.ask("instance.connect", { force_new_pairing: false })).toEqual({ ok: true, value: {} });
      }
    }
  });

  it("are refused on a Cloud API number if they need a phone", async () => {
    const connection = await created({ kind: "cloud_api" });
    expect(await connection.ask("instance.logout", {})).toMatchObject({ code: "not_supported" });
    expect(await connection.ask("instance.qr", {})).toMatchObject({ code: "not_supported" });
    expect(await connection.status()).toBe("disconnected/created");
  });

  it("survive an eviction: the placement request is kept", async () => {
    const connection = await created();
    await connection.ask("instance.connect", { force_new_pairing: false });
    await evictDurableObject(connection.stub);
    const bridge = await connection.bridge();
    const session = await bridge.open(connection.uuid);
    await session.commit([event.open()]);
    expect(await connection.status()).toBe("connected/ok");
  });
});

it("the object writes its status and its phone to D1", async () => {
  const { connection } = await TestConnection.connected();
  const noted = () =>
    env.DB.prepare("SELECT status, phone FROM connection_state WHERE connection_id = ?").bind(connection.record.id).first();
  await vi.waitFor(async () => expect(await noted()).toEqual({ status: "connected", phone: PHONE }));
});

it("an instance is deleted entirely when it is removed, after its device was unlinked", async () => {
  const { connection, session } = await TestConnection.connected();
  await session.commit([], [["creds|me", "AAAA"]]);
  session.stubborn = true;
  const wiped = connection.stub.wipe();
  expect(await session.frames.next("stop")).toEqual({ type: "stop", logout: true });
  await session.commit([]);
  session.drop();
  await wiped;
  expect(await connection.sql("SELECT * FROM identity")).toEqual([]);
  expect(await connection.sql("SELECT * FROM state_row")).toEqual([]);
  expect(await connection.alarm()).toBe(false);
});
