import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderUnicodeCompact } from "uqr";
import { pairInTerminal } from "#root/src/sandbox/host/demo.ts";
import { customer, person, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

let sandbox: SharedSandbox;
beforeAll(async () => {
  sandbox = await borrowSandbox();
});
afterAll(() => sandbox.dispose());

/** A second connection of the demo user, showing its QR code. */
async function secondConnection(name: string) {
  const ready = sandbox.ready();
  const owner = await person(ready);
  const connection = await owner.call("POST", "/connections", { name });
  expect(connection.status, JSON.stringify(connection.body)).toBe(201);
  const key = await owner.call("POST", `/connections/${connection.body.data.id}/keys`, { name: "test" });
  const api = customer(ready, key.body.data.key);
  await owner.call("POST", `/connections/${connection.body.data.id}/connect`);
  return { ready, owner, api, id: connection.body.data.id as number };
}

const statusOf = async (owner: Awaited<ReturnType<typeof person>>, id: number) =>
  (await owner.call("GET", `/connections/${id}`)).body.data.status as string;

describe("pairing", () => {
  it("connects a second number by its QR", async () => {
    const { ready, owner, api, id } = await secondConnection("Second");
    const phone = "5511900000270";
    await phones(ready).create(phone, "Second phone");
    const qr = await eventually("a QR", 60_000, async () => {
      const answer = await api.get("/instance/qr");
      return answer.status === 200 && answer;
    });
    expect(qr.body.data.qr).toMatch(/^data:image\/png;base64,/);
    expect(qr.headers.get("age")).toBeNull();
    const scan = await phones(ready).call("POST", `/phones/${phone}/scan`, { qr: qr.body.data.raw });
    expect(scan.status, JSON.stringify(scan.body)).toBe(200);
    await eventually("connected", 60_000, async () => (await statusOf(owner, id)) === "connected");
    expect((await api.get("/instance")).body.data).toMatchObject({ phone, status: "connected" });
    const sent = await api.text("5511900000002", "from the second number");
    expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  });

  it("connects by pairing code, and refuses a wrong one", async () => {
    const { ready, owner, api, id } = await secondConnection("By code");
    await phones(ready).create("5511900000078", "Code phone");
    await eventually("a QR stage", 60_000, async () => (await statusOf(owner, id)) === "scan_qr");
    const code = await api.call("POST", "/instance/pairing-code", { phone_number: "5511900000078" });
    expect(code.status, JSON.stringify(code.body)).toBe(200);
    expect(code.body.data.code).toMatch(/^[A-Z1-9]{4}-[A-Z1-9]{4}$/);
    const wrong = await phones(ready).call("POST", "/phones/5511900000078/code", { code: "AAAAAAAA" });
    expect(wrong.status).toBeGreaterThanOrEqual(400);
    const right = await phones(ready).call("POST", "/phones/5511900000078/code", { code: code.body.data.code.replace("-", "") });
    expect(right.status, JSON.stringify(right.body)).toBe(200);
    await eventually("connected", 60_000, async () => (await statusOf(owner, id)) === "connected");
  });

  it("can be watched from first to last over one stream", async () => {
    const ready = sandbox.ready();
    const owner = await person(ready);
    const { body } = await owner.call("POST", "/connections", { name: "Watched" });
    await phones(ready).create("5511900000080", "Watched phone");
    const answer = await fetch(`${ready.app_url}/api/dashboard/connections/${body.data.id}/stream`, {
      headers: { authorization: `Bearer ${owner.token}` },
    });
    const seen: string[] = [];
    let text = "";
    for await (const piece of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split("\n\n");
      text = blocks.pop() ?? "";
      for (const [, name = "", json = "null"] of blocks.map(
        (block) => /^(?:id: .*\n)?event: (\w+)\n(?:id: .*\n)?data: (.*)$/.exec(block) ?? [],
      )) {
        const data = JSON.parse(json) as { status?: string; raw?: string };
        if (name === "status") seen.push(data.status ?? "");
        if (seen.at(-1) === "disconnected") await owner.call("POST", `/connections/${body.data.id}/connect`);
        if (name === "qr") await phones(ready).call("POST", "/phones/5511900000080/scan", { qr: data.raw });
      }
      if (seen.at(-1) === "connected") break;
    }
    expect(seen.filter((status, n) => status !== seen[n - 1])).toEqual([
      "disconnected",
      "connecting",
      "scan_qr",
      "connecting",
      "connected",
    ]);
  });

  it("shows its QR in a terminal until a phone has scanned it", async () => {
    const ready = sandbox.ready();
    const owner = await person(ready);
    const { body } = await owner.call("POST", "/connections", { name: "In a terminal" });
    await phones(ready).create("5511900000089", "Terminal phone");
    const said: string[] = [];
    const paired = pairInTerminal({ appUrl: ready.app_url, id: body.data.id, token: owner.token, print: (text) => said.push(text) });
    await eventually("a QR on the screen", 60_000, () => said.length > 0);
    const { raw } = (await owner.call("GET", `/connections/${body.data.id}/qr`)).body.data as { raw: string };
    expect(stripVTControlCharacters(said.at(-1) ?? "").trim()).toBe(renderUnicodeCompact(raw, { ecc: "L", border: 2 }).trim());
    await phones(ready).call("POST", "/phones/5511900000089/scan", { qr: raw });
    await paired;
    expect(said.at(-1)).toContain("Connected as 5511900000089.");
  });

  it("tells the customer when the phone unlinks the device", async () => {
    const { ready, owner, api, id } = await secondConnection("To unlink");
    await phones(ready).create("5511900000079", "Unlinker");
    const qr = await eventually("a QR", 60_000, async () => {
      const answer = await api.get("/instance/qr");
      return answer.status === 200 && answer;
    });
    await phones(ready).call("POST", "/phones/5511900000079/scan", { qr: qr.body.data.raw });
    await eventually("connected", 60_000, async () => (await statusOf(owner, id)) === "connected");
    await phones(ready).call("POST", "/phones/5511900000079/unlink");
    await eventually("disconnected", 60_000, async () => (await statusOf(owner, id)) === "disconnected");
    const refused = await api.text("5511900000002", "nobody there");
    expect(refused.status).toBe(409);
    expect(refused.body.error.codigo).toBe("conexao_desconectada");
  });
});
