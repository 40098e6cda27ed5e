// The durable listener on a running gateway: a killed reader loses nothing, on both APIs (docs/use/listeners.md, "With the SDK").
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AccountClient } from "@gateway/sdk";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { Listening } from "../../support/kit/listening.ts";
import { pythonIsMissing } from "../../support/kit/python.ts";
import { type PairedConnection, pairConnection } from "../../support/paired-connection.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";

const SHOP = "5511970000101";
const CUSTOMER = "5511970000102";
const MESSAGES = 30;
const KILLED_AFTER = new Set([8, 17]);
const WITHIN_MS = 120_000;

let sandbox: SharedSandbox;
let shop: PairedConnection;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "listen-"));
  sandbox = await borrowSandbox();
  shop = await pairConnection(sandbox.ready(), SHOP, { name: "Loja" });
  await phones(sandbox.ready()).create(CUSTOMER, "Bia");
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sandbox.dispose();
});

type Language = "typescript" | "python";

/** Kills the reader twice while messages arrive, checks that it receives all of them, and returns their texts. */
async function survivesKills(language: Language): Promise<string[]> {
  const reader = new Listening({ baseUrl: sandbox.ready().app_url, key: shop.key, checkpoint: join(folder, language), language });
  const send = (text: string) => phones(sandbox.ready()).send(CUSTOMER, { to: SHOP, text });
  const sent: string[] = [];
  try {
    reader.start();
    await eventually("the reader is ready", WITHIN_MS, () => reader.count("ready") === 1);
    for (let n = 0; n < MESSAGES; n += 1) {
      const text = `mensagem ${n}`;
      await send(text);
      sent.push(text);
      if (!KILLED_AFTER.has(n)) continue;
      await reader.kill();
      // Nobody reads this one.
      await send(`${text}, ausente`);
      sent.push(`${text}, ausente`);
      reader.start();
    }
    await eventually("every message is read", WITHIN_MS, () => reader.received().texts.length >= sent.length);
    const { texts, repeated, gaps } = reader.received();
    expect(texts).toEqual(sent);
    expect(repeated).toBeLessThanOrEqual(KILLED_AFTER.size);
    expect(gaps).toBe(0);
    return sent;
  } finally {
    await reader.kill();
  }
}

it("a TypeScript reader that is killed twice receives every message in order, and repeats at most one per kill", async () => {
  const ready = sandbox.ready();
  const account = new AccountClient({ apiKey: ready.demo.api_key, baseUrl: ready.base_url });
  const { body } = await shop.owner.call("GET", `/connections/${shop.id}`);
  const accountTexts: (string | null)[] = [];
  const stop = new AbortController();
  const isAccountReady = Promise.withResolvers<void>();
  const options = { types: ["message.received"], signal: stop.signal, onState: () => isAccountReady.resolve() };
  const reading = (async () => {
    for await (const event of account.instance(body.data.instance_id as string).events.listen(options))
      if (event.type === "message.received") accountTexts.push(event.data.text);
  })();
  await isAccountReady.promise;
  try {
    const sent = await survivesKills("typescript");
    await eventually("the Account API's listener has every message", WITHIN_MS, () => accountTexts.length >= sent.length);
    expect(accountTexts).toEqual(sent);
  } finally {
    stop.abort();
    await reading;
  }
});

it.skipIf(pythonIsMissing() !== null)(
  "a Python reader that is killed twice receives every message in order, and repeats at most one per kill",
  async () => {
    expect(await survivesKills("python")).toHaveLength(MESSAGES + KILLED_AFTER.size);
  },
);
