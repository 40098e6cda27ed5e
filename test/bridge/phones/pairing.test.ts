import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BaileysClient, memoryAuth } from "../../support/bridge/baileys-client.ts";
import { eventually } from "../../support/eventually.ts";
import { must, openWorld, type World } from "./world.ts";

describe("linking a device to a simulated phone", () => {
  let world: World;
  beforeAll(async () => {
    // The unmodified client requests a code in a format that a strict network refuses.
    world = await openWorld({ strict: false });
  });
  afterAll(() => world.close());

  it("links by QR code and learns the number, the LID and the name", async () => {
    const { phone, client } = await world.pair("Ana");
    expect(client.jid).toBe(`${phone.pn}@s.whatsapp.net`);
    expect(client.auth.creds.me?.lid).toContain(world.network.directory.account(phone.pn)?.lid);
    await eventually("the name", 60_000, () => client.auth.creds.me?.name === "Ana");
    expect(phone.deps.link.companions()).toHaveLength(1);
  });

  it("links by the eight characters of a pairing code", async () => {
    const phone = await world.newPhone("Bia");
    const client = new BaileysClient(world).connect();
    await client.saw("connection.update", ({ qr }) => qr);
    const code = await client.sock.requestPairingCode(phone.pn);
    await eventually("the request", 60_000, () => phone.deps.link.codeRequest());
    // People type the code in two groups, in any case.
    must(await phone.enterCode(`${code.slice(0, 4)}-${code.slice(4).toLowerCase()}`));
    await client.ready();
    expect(client.jid).toBe(`${phone.pn}@s.whatsapp.net`);
    await client.end();
  });

  it("refuses a wrong pairing code and a code nobody asked for", async () => {
    const phone = await world.newPhone();
    expect(await phone.enterCode("AAAAAAAA")).toMatchObject({ ok: false, code: "code_expired" });
    const client = new BaileysClient(world).connect();
    await client.saw("connection.update", ({ qr }) => qr);
    const code = await client.sock.requestPairingCode(phone.pn);
    await eventually("the request", 60_000, () => phone.deps.link.codeRequest());
    expect(await phone.enterCode(code === "AAAAAAAA" ? "BBBBBBBB" : "AAAAAAAA")).toMatchObject({ ok: false, code: "wrong_code" });
    expect(phone.deps.link.companions()).toHaveLength(0);
    await client.end();
  });

  it("refuses the QR code of a device that has gone, and what is no QR code", async () => {
    const phone = await world.newPhone();
    const client = new BaileysClient(world, memoryAuth()).connect();
    const qr = await client.saw("connection.update", (update) => update.qr);
    await client.end();
    await eventually(
      "the device is gone",
      60_000,
      () => phone.deps.link.waitingCompanion(qr.replace(/^.*#/, "").split(",")[0] ?? "") === null,
    );
    expect(await phone.scan(qr)).toMatchObject({ ok: false, code: "qr_expired" });
    expect(await phone.scan("hello")).toMatchObject({ ok: false, code: "bad_qr" });
  });

  it("logs its devices out when the person unlinks them", async () => {
    const { phone, client } = await world.pair();
    expect(phone.unlink()).toBe(1);
    await eventually("the logout", 60_000, () => client.closes.includes(401));
    expect(phone.deps.link.companions()).toHaveLength(0);
  });

  it("keeps two devices of one phone apart", async () => {
    const { phone, client } = await world.pair();
    const second = await new BaileysClient(world).connect((qr) => phone.scan(qr)).ready();
    expect(second.auth.creds.me?.id).not.toBe(client.auth.creds.me?.id);
    expect(phone.deps.link.companions()).toHaveLength(2);
    await second.end();
  });
});
