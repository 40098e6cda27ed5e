// Two hundred sends through a proxy that cuts four in ten responses: each resolves and arrives exactly once.
import { afterEach, beforeEach, expect, it } from "vitest";
import { ConnectionClient } from "@gateway/sdk";
import { type CuttingProxy, startCuttingProxy } from "../../support/kit/cutting-proxy.ts";
import { phones } from "../../support/clients.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const SENDS = 200;
const AT_A_TIME = 8;
const CUT_OF_TEN = 4;

let sandbox: Sandbox;
let proxy: CuttingProxy;
let answers: number;
let cuts: number;

beforeEach(async () => {
  answers = 0;
  cuts = 0;
  sandbox = await startSandbox(["--no-limits"]);
  proxy = await startCuttingProxy(sandbox.ready().app_url, () => {
    answers += 1;
    const isCut = (answers * 7) % 10 < CUT_OF_TEN;
    if (isCut) cuts += 1;
    return isCut;
  });
});
afterEach(async () => {
  proxy.close();
  await sandbox.dispose();
});

it("the SDK's retries resolve every send and deliver each message once", async () => {
  const { demo } = sandbox.ready();
  const gateway = new ConnectionClient({ apiKey: demo.connection.api_key, baseUrl: proxy.url, maxRetries: 20 });
  const texts = Array.from({ length: SENDS }, (_, n) => `pedido ${n}`);
  const left = [...texts];
  const ids: string[] = [];
  const worker = async (): Promise<void> => {
    for (let text = left.shift(); text !== undefined; text = left.shift()) {
      const { message_id } = await gateway.messages.sendText({ to: demo.contact!.phone, text });
      ids.push(message_id);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  console.log(`SDK retries: ${SENDS} sends, ${answers} answers, ${cuts} cut`);
  expect(cuts).toBeGreaterThan(SENDS / 4);
  expect(new Set(ids).size).toBe(SENDS);
  const inbox = await phones(sandbox.ready()).inbox(demo.contact!.phone);
  const arrived = inbox.filter(({ from_me }) => !from_me).map(({ text }) => text);
  const byText = (a: string, b: string) => a.localeCompare(b);
  expect(arrived.toSorted(byText)).toEqual(texts.toSorted(byText));
});
