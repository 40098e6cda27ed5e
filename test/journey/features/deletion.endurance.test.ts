// An account exports its data and is deleted. The export is valid JSON with files, and afterwards no store contains any account data.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AccountCalls, accountCalls, signIn } from "../../support/account-holder.ts";
import { filesBelow, holding, reclaimFreePages } from "../../support/byte-search.ts";
import { ask, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { Receiver } from "../../support/receiver.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const WITHIN_MS = 60_000;
// No other connection may know these phones, because another account's data about a person is not deleted.
const STORE = "5511976543210";
const BIA = "5521987651234";
const NAMES = ["Loja Jacarandá", "Bia Quaresmeira"] as const;
const TEXTS = ["segredo-recebido-4711", "segredo-enviado-4712", "legenda-secreta-4713", "cliente-4714"] as const;
const FILENAME = "contrato-confidencial-4715.pdf";
const marked = (mark: string) => Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.from(mark), randomBytes(2_000)]);
const FILE_MARKS = ["conteudo-de-arquivo-enviado", "conteudo-de-arquivo-recebido"] as const;

let sandbox: Sandbox;
let shop: PairedConnection;
let receiver: Receiver;
let account: AccountCalls;
let instanceId: string;

beforeEach(async () => {
  [sandbox, receiver] = await Promise.all([startSandbox(["--no-limits"]), Receiver.start()]);
  await phones(sandbox.ready()).create(BIA, NAMES[1]);
  shop = await pairConnection(sandbox.ready(), STORE, { name: NAMES[0] });
  account = accountCalls(sandbox.ready(), { authorization: `Bearer ${await signIn(sandbox.ready())}` });
  instanceId = (await shop.owner.call("GET", `/connections/${shop.id}`)).body.data.instance_id as string;
});
afterEach(async () => {
  await Promise.all([sandbox.dispose(), receiver.stop()]);
});

type Exported = { kind: string; record: any };

async function exported(): Promise<Exported[]> {
  const records: Exported[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: any = (await account("GET", `/instances/${instanceId}/export?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`)).body;
    records.push(...page.data);
    cursor = page.next_cursor;
  }
  return records;
}

it("an account is exported as JSON with its files, and deleted without leaving a byte", async () => {
  const [sent, received] = FILE_MARKS.map(marked) as [Buffer, Buffer];
  const network = phones(sandbox.ready());
  await account("POST", "/webhooks", { url: receiver.url, events: ["message.received"], description: TEXTS[3] });
  await account("PATCH", `/instances/${instanceId}`, { metadata: { customer: TEXTS[3] } });
  await ok(shop.api.text(BIA, TEXTS[1]));
  const file = { base64: sent.toString("base64"), filename: FILENAME, mimetype: "application/pdf" };
  await ok(shop.api.call("POST", "/messages/document", { to: BIA, media: file, caption: TEXTS[2] }));
  await ok(network.send(BIA, { to: STORE, text: TEXTS[0] }));
  const media = { base64: received.toString("base64"), mimetype: "application/pdf", filename: FILENAME };
  await ok(network.send(BIA, { to: STORE, type: "document", media }));

  const messages = await eventually("all messages with their files in the export", WITHIN_MS, async () => {
    const all = (await exported()).filter(({ kind }) => kind === "message").map(({ record }) => record);
    const files = all.filter(({ media }) => media?.url != null);
    return all.length >= 4 && files.length === 2 && all;
  });
  expect(messages.map(({ text }) => text)).toEqual(expect.arrayContaining([TEXTS[0], TEXTS[1], TEXTS[2]]));
  const links: string[] = messages.filter(({ media }) => media !== null).map(({ media }) => media.url);
  const contents = await Promise.all(links.map(async (link) => Buffer.from(await (await fetch(link)).arrayBuffer())));
  for (const bytes of [sent, received]) expect(contents.some((content) => content.equals(bytes))).toBe(true);
  const records = await exported();
  expect(records[0]).toMatchObject({ kind: "instance", record: { id: instanceId, phone_number: STORE, metadata: { customer: TEXTS[3] } } });
  expect(records.filter(({ kind }) => kind === "contact").map(({ record }) => record.phone)).toContain(BIA);
  expect((await account("GET", "/me/export")).body.data).toMatchObject({ account: { email: sandbox.ready().demo.email } });

  // First proves that the search can find these texts.
  const traces = [STORE, BIA, ...NAMES, ...TEXTS, FILENAME, ...FILE_MARKS];
  const stores = () => filesBelow(sandbox.directory).filter((path) => !path.startsWith(join(sandbox.directory, "network")));
  const before = holding(stores(), traces).map((found) => found.split(": ")[1]);
  for (const trace of [...TEXTS, ...FILE_MARKS, STORE, BIA]) expect(before).toContain(trace);

  const { email, password } = sandbox.ready().demo;
  expect((await account("POST", "/me/delete", { email, password })).status).toBe(202);
  expect((await account("GET", "/me")).status).toBe(401);
  expect((await shop.api.get("/instance")).status).toBe(401);
  for (const link of links) expect((await fetch(link)).status).toBe(404);
  // Remaining work continues in the background.
  process.kill(sandbox.ready().processes.worker, "SIGKILL");
  await eventually("the mail that says it is gone", WITHIN_MS, async () => {
    const mails = await ask<{ data: { to: string; subject: string }[] }>(`${sandbox.ready().app_url}/sandbox/mail`).catch(() => null);
    return mails?.body.data.some(({ to, subject }) => to === email && subject === "Conta apagada / Account deleted");
  });
  await sandbox.stop();

  const databases = stores().filter((path) => path.endsWith(".sqlite") && /\/(d1|r2)\//.test(path));
  expect(databases.length).toBeGreaterThanOrEqual(2);
  databases.forEach(reclaimFreePages);
  expect(holding(stores(), traces)).toEqual([]);
});
