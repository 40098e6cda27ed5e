// Accounts that require a passkey before linking a device (docs/internals/wire-protocol.md, "Linking with a passkey").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BridgeProcess } from "../../support/bridge/bridge-process.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { authenticator, type Authenticator } from "../../support/bridge/passkey.ts";
import { eventually } from "../../support/eventually.ts";
import { addSpareReferences, isSpare } from "#root/session-bridge/networks/baileys/socket/passkey.ts";
import { COMMANDS } from "@gateway/protocol/commands.ts";
import type { Passkey } from "#root/test-network/pairing/passkey-ceremony.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { openWorld, sendText, shownTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

async function waiting(form: Passkey["form"], settings = { passkey: true }) {
  const phone = await world.newPhone();
  const browser = authenticator();
  await phone.change({ passkey: browser.passkey(form) });
  const connection = world.gateway.connection(settings);
  world.gateway.place(connection);
  const { raw } = await connection.saw("session.qr");
  return { phone, browser, connection, raw };
}

const refOf = (raw: string) => (raw.split("#")[1] ?? "").split(",")[0] ?? "";

/** Immediately skips the first seven codes of the bridge's sessions and reports the shown one; later codes take their normal time. */
const FAST_CODES = `data:text/javascript,${encodeURIComponent(`
  const later = globalThis.setTimeout;
  let shown = 0;
  globalThis.setTimeout = (act, ms, ...more) => {
    if (act.name !== "genPairQR") return later(act, ms, ...more);
    shown += 1;
    process.stdout.write("code " + shown + "\\n");
    return later(act, shown < 8 ? 100 : ms, ...more);
  };
`)}`;

const answer = (connection: FakeConnection, assertion: ReturnType<Authenticator["assertion"]>) =>
  connection.command("session.passkey", { assertion });

async function isLinked(connection: FakeConnection, phone: SimulatedPhone): Promise<void> {
  expect(await connection.saw("session.open")).toMatchObject({ phone: phone.pn });
  const friend = await world.newPhone();
  await sendText(connection, friend, "linked");
  await eventually("the message at the friend", TIMEOUT_MS, () => shownTexts(friend).includes("linked"));
}

it.each(["sent", "asked"] as const)("an account with a passkey is reported (options %s) and linked by an assertion", async (form) => {
  const { phone, browser, connection, raw } = await waiting(form);
  const scanned = phone.scan(raw);
  const { options, expires_at, timestamp } = await connection.saw("session.passkey");
  expect(options).toMatchObject({ rpId: "whatsapp.com", userVerification: "required" });
  expect(expires_at - timestamp).toBe(300);
  expect(await answer(connection, browser.assertion(options))).toMatchObject({ ok: true });
  expect(await scanned).toMatchObject({ ok: true });
  await isLinked(connection, phone);
});

it("a pairing code of an account with a passkey also links by an assertion", async () => {
  const { phone, browser, connection } = await waiting("sent");
  const asked = await connection.command("session.pairing_code", { phone: phone.pn, code: null });
  if (!asked.ok) throw new Error(asked.failure.code);
  const entered = phone.enterCode(COMMANDS["session.pairing_code"].output.parse(JSON.parse(asked.value)).code);
  const { options } = await connection.saw("session.passkey");
  expect(await answer(connection, browser.assertion(options))).toMatchObject({ ok: true });
  expect(await entered).toMatchObject({ ok: true });
  await connection.saw("session.open");
});

it("an assertion that the network refuses is reported as refused, and may be repeated", async () => {
  const { phone, browser, connection, raw } = await waiting("sent");
  expect(await answer(connection, browser.assertion({ challenge: "AAAA", rpId: "whatsapp.com" }))).toMatchObject({
    failure: { code: "passkey_not_wanted" },
  });
  const scanned = phone.scan(raw);
  const { options } = await connection.saw("session.passkey");
  const refused = { failure: { code: "passkey_refused" } };
  expect(await answer(connection, authenticator().assertion(options))).toMatchObject(refused);
  expect(await answer(connection, browser.assertion({ ...options, challenge: "AAAA" }))).toMatchObject(refused);
  expect(await answer(connection, browser.assertion(options, "https://gateway.example"))).toMatchObject(refused);
  expect(await answer(connection, browser.assertion(options))).toMatchObject({ ok: true });
  expect(await scanned).toMatchObject({ ok: true });
  await connection.saw("session.open");
});

it("a phone that scans the same QR twice still links by the passkey", async () => {
  const { phone, browser, connection, raw } = await waiting("sent");
  const first = phone.scan(raw);
  const { options } = await connection.saw("session.passkey");
  const second = phone.scan(raw);
  const again = await connection.saw("session.passkey", (wanted) => wanted.options.challenge !== options.challenge);
  expect(await first).toMatchObject({ ok: false, code: "device_gone" });
  expect(await answer(connection, browser.assertion(options))).toMatchObject({ failure: { code: "passkey_refused" } });
  expect(await answer(connection, browser.assertion(again.options))).toMatchObject({ ok: true });
  expect(await second).toMatchObject({ ok: true });
  await connection.saw("session.open");
});

it("a pairing ends and says why where passkeys are switched off", async () => {
  const { phone, connection, raw } = await waiting("sent", { passkey: false });
  const scanned = phone.scan(raw);
  await connection.saw("session.closed", ({ reason }) => reason === "passkey_unsupported");
  expect(await scanned).toMatchObject({ ok: false, code: "device_gone" });
  await eventually("the session to be given up", TIMEOUT_MS, () => connection.socket === null);
  expect(connection.of("session.passkey")).toHaveLength(0);
});

it("a QR whose secret was retired is replaced, and the new one links with the passkey", async () => {
  const { phone, browser, connection, raw } = await waiting("sent");
  world.network.pairing.retireSecret(refOf(raw), "companion_reg_refresh");
  const second = await connection.saw("session.qr", (qr) => qr.raw !== raw);
  const scanned = phone.scan(second.raw);
  const { options } = await connection.saw("session.passkey");
  expect(await answer(connection, browser.assertion(options))).toMatchObject({ ok: true });
  expect(await scanned).toMatchObject({ ok: true });
  await isLinked(connection, phone);
});

describe("the QR codes of a pairing", () => {
  let bridge: BridgeProcess;
  beforeAll(async () => void (bridge = await world.startBridge(FAST_CODES)));

  it("may run out while a passkey is awaited, which can still be used", async () => {
    const { phone, browser, connection, raw } = await waiting("sent");
    const scanned = phone.scan(raw);
    const { options } = await connection.saw("session.passkey");
    await eventually("a code beyond the network's six", TIMEOUT_MS, () => bridge.output().includes("code 8"));
    expect(connection.of("session.closed")).toEqual([]);
    expect(connection.of("session.qr")).toHaveLength(1);
    expect(await answer(connection, browser.assertion(options))).toMatchObject({ ok: true });
    expect(await scanned).toMatchObject({ ok: true });
    await isLinked(connection, phone);
  });

  it("end the pairing after the network's six if no passkey is awaited", async () => {
    await world.startBridge(FAST_CODES);
    const { connection } = await waiting("sent");
    await connection.saw("session.closed", ({ reason }) => reason === "qr_timeout");
    expect(connection.of("session.qr")).toHaveLength(6);
  });
});

it("the library gets spare references beyond the shown ones, which are recognized as spare", () => {
  const ref = { tag: "ref", attrs: {}, content: Buffer.from("2@abc") };
  const stanza = { tag: "iq", attrs: {}, content: [{ tag: "pair-device", attrs: {}, content: [ref] }] };
  addSpareReferences(stanza);
  // At twenty seconds each, the codes outlast a ceremony, which takes up to five minutes for the assertion and five more for the phone.
  expect(((stanza.content[0]?.content.length ?? 0) - 1) * 20).toBeGreaterThan(600);
  expect(isSpare("https://wa.me/settings/linked_devices#2@abc,noise,identity,secret,1")).toBe(false);
  expect(isSpare("https://wa.me/settings/linked_devices#,noise,identity,secret,1")).toBe(true);
});
