// Linking by QR code and by pairing code, and the defects of stock Baileys there (docs/internals/baileys.md, "Defects of the libraries").
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initAuthCreds, type WASocket } from "baileys";
import { eventually } from "../../support/eventually.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { Pairing } from "#root/session-bridge/networks/baileys/socket/pairing.ts";
import { COMMANDS } from "@gateway/protocol/commands.ts";
import { openWorld, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;

let world: World;

beforeAll(async () => {
  world = await openWorld();
  await world.startBridge();
});
afterAll(() => world.close());

async function waiting(): Promise<FakeConnection> {
  const connection = world.gateway.connection();
  world.gateway.place(connection);
  await connection.saw("session.qr");
  return connection;
}

async function codeFor(connection: FakeConnection, phone: string, code: string | null = null): Promise<string> {
  const outcome = await connection.command("session.pairing_code", { phone, code });
  if (!outcome.ok) throw new Error(outcome.failure.code);
  return COMMANDS["session.pairing_code"].output.parse(JSON.parse(outcome.value)).code;
}

const refOf = (raw: string) => (raw.split("#")[1] ?? "").split(",")[0] ?? "";
const companionOf = (raw: string) => world.network.pairing.waiting(refOf(raw));

describe("a QR", () => {
  it("has an expiry, and leads to a paired and open session", async () => {
    const connection = await waiting();
    const phone = await world.newPhone("Somebody");
    const [qr] = connection.of("session.qr");
    expect(qr).toMatchObject({ attempt: 1 });
    expect((qr?.expires_at ?? 0) - (qr?.timestamp ?? 0)).toBe(60);
    expect(await phone.scan(qr?.raw ?? "")).toMatchObject({ ok: true });
    expect(await connection.saw("session.paired")).toMatchObject({ phone: phone.pn, platform: "android", is_business: false });
    expect(await connection.saw("session.open")).toMatchObject({ phone: phone.pn });
    expect(connection.of("session.closed").map(({ code }) => code)).toEqual([515]);
  });

  it.each(["companion_reg_refresh", "pair-device-rotate-qr"] as const)(
    "is replaced by one that can be scanned when the network retires its secret by %s",
    async (form) => {
      const connection = await waiting();
      const phone = await world.newPhone();
      const [first] = connection.of("session.qr");
      world.network.pairing.retireSecret(refOf(first?.raw ?? ""), form);
      const second = await connection.saw("session.qr", ({ raw }) => raw !== first?.raw);
      expect(second.attempt).toBe(1);
      expect(await phone.scan(second.raw)).toMatchObject({ ok: true });
      await connection.saw("session.open");
    },
  );

  it("contains the newest secret in the next reference", () => {
    const creds = initAuthCreds();
    const pairing = new Pairing(() => creds);
    const old = creds.advSecretKey;
    const qr = (ref: string): string => `https://example.com/#${ref},noise,identity,${old},1`;
    expect(pairing.nextQr(qr("a")).raw).toBe(qr("a"));
    expect(pairing.rotateSecret()?.raw).toBe(qr("a").replace(old, creds.advSecretKey));
    expect(creds.advSecretKey).not.toBe(old);
    expect(pairing.nextQr(qr("b"))).toEqual({ raw: qr("b").replace(old, creds.advSecretKey), attempt: 2, lifeSeconds: 20 });
  });

  it("keeps the secret that a pairing by code has derived", () => {
    const creds = { ...initAuthCreds(), registered: true };
    const { advSecretKey } = creds;
    expect(new Pairing(() => creds).rotateSecret()).toBeNull();
    expect(creds.advSecretKey).toBe(advSecretKey);
  });
});

describe("a pairing code", () => {
  it("links the phone it was requested for", async () => {
    const connection = await waiting();
    const phone = await world.newPhone();
    const code = await codeFor(connection, phone.pn);
    expect(code).toMatch(/^[A-Z1-9]{8}$/);
    expect(await phone.enterCode("WRNGWRNG")).toMatchObject({ ok: false });
    expect(await phone.enterCode(code)).toMatchObject({ ok: true });
    expect(await connection.saw("session.open")).toMatchObject({ phone: phone.pn });
  });

  it("may be chosen by the caller", async () => {
    const connection = await waiting();
    const phone = await world.newPhone();
    expect(await codeFor(connection, phone.pn, "ABCD1234")).toBe("ABCD1234");
    expect(await phone.enterCode("ABCD1234")).toMatchObject({ ok: true });
    await connection.saw("session.open");
  });

  it("survives a connection that breaks while it is typed in", async () => {
    const connection = await waiting();
    const phone = await world.newPhone();
    const code = await codeFor(connection, phone.pn);
    const [first] = connection.of("session.qr");
    companionOf(first?.raw ?? "")?.send({ tag: "xmlstreamend", attrs: {} });
    // Credentials with a number but without an account would be refused as logged out.
    await eventually("a new QR", TIMEOUT_MS, () => connection.of("session.qr").length === 2);
    expect(connection.of("session.closed").map(({ reason }) => reason)).toEqual(["lost"]);
    await eventually("the code to be known again", TIMEOUT_MS, () => world.network.pairing.codeRequest(phone.pn));
    expect(await phone.enterCode(code)).toMatchObject({ ok: true });
    await connection.saw("session.open");
  });

  it("is issued for a device with the customer's name, which the phone lists", async () => {
    const connection = world.gateway.connection({ device_name: "Acme" });
    world.gateway.place(connection);
    await connection.saw("session.qr");
    const phone = await world.newPhone();
    expect(await phone.enterCode(await codeFor(connection, phone.pn))).toMatchObject({ ok: true });
    await connection.saw("session.open");
    expect([...(world.network.directory.account(phone.pn)?.devices.values() ?? [])].at(-1)?.platform).toBe("Acme");
  });

  it.each(["refresh_code", "empty"] as const)("stays valid when the network retires it with a notice without keys (%s)", async (form) => {
    const connection = await waiting();
    const phone = await world.newPhone();
    const code = await codeFor(connection, phone.pn);
    world.network.pairing.retireCode(phone.pn, form);
    expect(world.network.pairing.codeRequest(phone.pn)).toBeUndefined();
    await eventually("the code to be known again", TIMEOUT_MS, () => world.network.pairing.codeRequest(phone.pn));
    expect(await phone.enterCode(code)).toMatchObject({ ok: true });
    await connection.saw("session.open");
  });

  it("is reported as refused if the network retires it and refuses to issue it again", async () => {
    const connection = await waiting();
    const phone = await world.newPhone();
    await codeFor(connection, phone.pn);
    world.network.pairing.refuseCodes = true;
    try {
      world.network.pairing.retireCode(phone.pn, "refresh_code");
      await connection.saw("session.qr", ({ code }) => code === "refused");
    } finally {
      world.network.pairing.refuseCodes = false;
    }
    // A new code may be requested.
    expect(await phone.enterCode(await codeFor(connection, phone.pn))).toMatchObject({ ok: true });
  });

  it("is not issued for a linked session, nor before the first QR", async () => {
    const { connection, phone } = await world.link();
    expect(await connection.command("session.pairing_code", { phone: phone.pn, code: null })).toMatchObject({
      failure: { code: "already_connected" },
    });
    const idle = new Pairing(() => initAuthCreds());
    expect(await idle.requestCode({} as WASocket, "5511900000000", null, 0)).toMatchObject({ failure: { code: "qr_not_available" } });
  });

  it("is not issued when the network refuses it", async () => {
    const creds = initAuthCreds();
    const pairing = new Pairing(() => creds);
    pairing.nextQr("https://example.com/#ref,noise,identity,secret,1");
    const refusing = {
      generateMessageTag: () => "1",
      query: () => Promise.reject(Object.assign(new Error("rate-overlimit"), { data: 429 })),
    };
    expect(await pairing.requestCode(refusing as unknown as WASocket, "5511900000000", null, 0)).toMatchObject({
      failure: { code: "network_rate_limited" },
    });
    expect(creds.me).toBeUndefined();
  });
});
