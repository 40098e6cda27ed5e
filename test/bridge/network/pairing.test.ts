import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { connect, nextEvent, link, memoryAuth, openWorld, type World } from "./world.ts";

describe("pairing with the local network", () => {
  let world: World;
  // The unmodified client requests a code in a format that a strict network refuses.
  beforeAll(async () => void (world = await openWorld({ strict: false })));
  afterAll(() => world.close());

  it("links an unchanged client by QR code: success, restart, login", async () => {
    const phone = await world.phone("Ana");
    const client = await link(world, phone);
    expect(client.closes).toEqual([515]);
    expect(client.jid).toBe(`${phone.pn}@s.whatsapp.net`);
    expect(client.auth.creds.me?.lid).toContain("@lid");
    expect([...(world.network.directory.account(phone.pn)?.devices.keys() ?? [])]).toEqual([0, 1]);
    await client.end();
  });

  it("stores the client's prekeys and uses each once", async () => {
    const phone = await world.phone("Bia");
    const client = await link(world, phone);
    const device = world.network.directory.device(`${phone.pn}:1@s.whatsapp.net`);
    expect(device?.preKeys.size).toBeGreaterThan(800);
    const before = device?.preKeys.size ?? 0;
    const first = world.network.bundle(`${phone.pn}:1@s.whatsapp.net`);
    const second = world.network.bundle(`${phone.pn}:1@s.whatsapp.net`);
    expect(first?.key?.id).not.toBe(second?.key?.id);
    expect(device?.preKeys.size).toBe(before - 2);
    await client.end();
  });

  it("requests more prekeys when few are left", async () => {
    const phone = await world.phone("Lia");
    const client = await link(world, phone);
    const device = world.network.directory.device(`${phone.pn}:1@s.whatsapp.net`);
    while ((device?.preKeys.size ?? 0) > 5) world.network.bundle(`${phone.pn}:1@s.whatsapp.net`);
    world.network.bundle(`${phone.pn}:1@s.whatsapp.net`);
    await eventually("new prekeys", 60_000, () => (device?.preKeys.size ?? 0) > 4);
    await client.end();
  });

  it("links by pairing code and refuses a wrong one", async () => {
    const phone = await world.phone("Caio");
    const auth = memoryAuth();
    const first = connect(world, auth);
    await nextEvent({ sock: first }, "connection.update", ({ qr }) => qr);
    const code = await first.requestPairingCode(phone.pn);
    await eventually("the request", 60_000, () => world.network.pairing.codeRequest(phone.pn));
    expect((await phone.enterCode(code === "AAAAAAAA" ? "BBBBBBBB" : "AAAAAAAA")).ok).toBe(false);

    const restarted = nextEvent({ sock: first }, "connection.update", ({ connection }) => connection === "close");
    expect((await phone.enterCode(code)).ok).toBe(true);
    await restarted;
    const client = await link(world, undefined, { auth });
    expect(client.jid).toBe(`${phone.pn}@s.whatsapp.net`);
    await client.end();
  });

  it("names the business of a business account", async () => {
    const phone = await world.phone("Padaria", { business: true });
    const client = await link(world, phone);
    expect(client.auth.creds.me?.name).toBe("Padaria");
    expect(client.auth.creds.platform).toBe("smba");
    await client.end();
  });

  it("refuses a client that was never paired, with 401", async () => {
    const phone = await world.phone("Davi");
    const client = await link(world, phone);
    await client.end();
    const stranger = memoryAuth();
    stranger.creds.me = client.auth.creds.me!;
    await expect(link(world, undefined, { auth: stranger })).rejects.toMatchObject({ code: 401 });
  });

  it("forgets a reference when its client goes away", async () => {
    const phone = await world.phone("Eva");
    const sock = connect(world, memoryAuth());
    const qr = await nextEvent({ sock }, "connection.update", (update) => update.qr);
    await sock.end(undefined);
    await eventually("the reference is gone", 60_000, async () => !(await phone.scan(qr)).ok);
  });
});
