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

const missing = pythonIsMissing();

it(`readers that are killed twice receive every message in order, and repeat at most one per kill: TypeScript${missing === null ? ", Python" : ` (Python skipped: ${missing})`}`, async () => {
  const ready = sandbox.ready();
  const languages = missing === null ? (["typescript", "python"] as const) : (["typescript"] as const);
  const readers = languages.map(
    (language) => new Listening({ baseUrl: ready.app_url, key: shop.key, checkpoint: join(folder, language), language }),
  );
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
    for (const reader of readers) reader.start();
    await eventually("the readers are ready", WITHIN_MS, () => readers.every((reader) => reader.count("ready") === 1));
    const texts = Array.from({ length: MESSAGES }, (_, n) => `mensagem ${n}`);
    let kills = 0;
    for (const [n, text] of texts.entries()) {
      await phones(ready).send(CUSTOMER, { to: SHOP, text });
      if (!KILLED_AFTER.has(n)) continue;
      await Promise.all(readers.map((reader) => reader.kill()));
      kills += 1;
      // Nobody reads these two.
      await phones(ready).send(CUSTOMER, { to: SHOP, text: `${text}, ausente` });
      for (const reader of readers) reader.start();
    }
    const expected = texts.flatMap((text, n) => (KILLED_AFTER.has(n) ? [text, `${text}, ausente`] : [text]));
    for (const reader of readers) {
      await eventually("every message is read", WITHIN_MS, () => reader.received().texts.length >= expected.length);
      const { texts: read, repeated, gaps } = reader.received();
      expect(read).toEqual(expected);
      expect(repeated).toBeLessThanOrEqual(kills);
      expect(gaps).toBe(0);
    }
    await eventually("the Account API's listener has every message", WITHIN_MS, () => accountTexts.length >= expected.length);
    expect(accountTexts).toEqual(expected);
  } finally {
    stop.abort();
    await Promise.all(readers.map((reader) => reader.kill()));
    await reading;
  }
});
