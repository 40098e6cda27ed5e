// A connection moves to another machine and back under a load that never stops (docs/operate/moving.md, "One machine has the session").
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Called, customer, phones, type Reply } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { type LocalNetwork, startLocalNetwork } from "../../support/one-machine/network.ts";
import { pairNumber } from "../../support/one-machine/paired-number.ts";
import { firstAdministrator, type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { ok } from "../../support/replies.ts";
import { RepeatedSends } from "../robustness/load/repeated-sends.ts";

const NUMBER = "5511940000051";
const FRIEND = "5511940000052";
const PARALLEL = 8;
const BETWEEN_MOVES = 25;
const WITHIN_MS = 120_000;

let network: LocalNetwork;
let home: ServedGateway;
let away: ServedGateway;
beforeEach(async () => {
  network = await startLocalNetwork();
  home = await startServedGateway({ ...network.settings, BACKUP_TIME: "off" });
  away = await startServedGateway({ ...network.settings, BACKUP_TIME: "off" });
});
afterEach(async () => {
  await home.dispose();
  await away.dispose();
  await network.stop();
});

const secretsFile = (gateway: ServedGateway) => join(gateway.data, "secrets.env");
const keyNumber = (gateway: ServedGateway) => Number(/KEY_SECRET="(\d+):/.exec(readFileSync(secretsFile(gateway), "utf8"))?.[1]);

/** The random key numbers coincide on one pair of machines in 256. Call this while the gateway is stopped. */
function giveOtherKeyNumber(gateway: ServedGateway, taken: number): void {
  const text = readFileSync(secretsFile(gateway), "utf8");
  writeFileSync(secretsFile(gateway), text.replace(/KEY_SECRET="\d+:/, `KEY_SECRET="${(taken + 1) % 256}:`));
}

async function command(gateway: ServedGateway, program: string, ...args: string[]): Promise<string> {
  const { code, output } = await gateway.command(`move/${program}-command.ts`, ...args);
  expect(code, output).toBe(0);
  return output.trim();
}

it("loses and doubles no message, and pairs nothing again", async () => {
  const { dashboard } = await firstAdministrator(home);
  await firstAdministrator(away);
  const phone = phones(network);
  await phone.create(FRIEND, "Friend");
  await ok(phone.call("PATCH", `/phones/${FRIEND}`, { reply: null }));
  const paired = await pairNumber(home, network, dashboard, NUMBER);
  const calledAt = (gateway: ServedGateway): Called => ({ app_url: gateway.url, demo: { connection: { api_key: paired.key } } });
  let called = calledAt(home);
  const sends = new RepeatedSends({ ready: () => called }, FRIEND);
  const replies = new Map<string, Reply>();
  let [acknowledged, started] = [0, 0];
  let onReply = () => undefined as void;
  const ending = new AbortController();
  const sender = async () => {
    while (!ending.signal.aborted) {
      const text = `order-${started++}`;
      const reply = await sends.send(text);
      replies.set(text, reply);
      if (reply.status === 200) acknowledged += 1;
      onReply();
    }
  };
  const load = Promise.all(Array.from({ length: PARALLEL }, sender));
  const acknowledgedMore = (more: number) => {
    const wanted = acknowledged + more;
    return Promise.race([load, new Promise<void>((resolve) => (onReply = () => void (acknowledged >= wanted && resolve())))]);
  };
  const questions: string[] = [];
  const question = async (text: string) => {
    questions.push(text);
    await phone.send(FRIEND, { to: NUMBER, text });
  };

  const move = async (from: ServedGateway, to: ServedGateway, ...owner: string[]) => {
    await acknowledgedMore(BETWEEN_MOVES);
    await question(`before-${questions.length}`);
    const file = join(from.backups, "..", "shop.move");
    const running = await from.command("move/export-command.ts", NUMBER, "--to", "nobody", "--file", file);
    expect(running).toMatchObject({ code: 1, output: expect.stringMatching(/^--to: nobody is not an address/) });
    const address = await command(to, "import", "--address");
    const inUse = await from.command("move/export-command.ts", "1", "--to", address, "--file", file);
    expect(inUse).toMatchObject({ code: 1, output: expect.stringMatching(/is in use by a gateway .*stop it first\n$/) });
    await from.stop();
    called = calledAt(to);
    await to.stop();
    if (to === away) giveOtherKeyNumber(to, keyNumber(from));
    await question(`meanwhile-${questions.length}`);
    const movedAt = performance.now();
    await command(from, "export", "1", "--to", address, "--file", file);
    expect(await command(to, "import", file, ...owner)).toMatch(/its API keys work here; start the gateway$/);
    console.log(`exported and imported in ${Math.round(performance.now() - movedAt)} ms`);
    await Promise.all([from.start(), to.start()]);
    // The machine that the connection left answers calls with a clear error, and sends nothing.
    const left = await customer(calledAt(from)).text(FRIEND, "sent to the wrong machine");
    expect(left).toMatchObject({ status: 409, body: { error: { codigo: "conexao_desconectada" } } });
    await acknowledgedMore(BETWEEN_MOVES);
    await question(`after-${questions.length}`);
  };
  await move(home, away, "--owner", "admin@gateway.local");
  await move(away, home);
  await acknowledgedMore(BETWEEN_MOVES);
  ending.abort();
  await load;

  const inbox = await phone.inbox(FRIEND);
  const copies = new Map<string, number>();
  for (const { text } of inbox) copies.set(String(text), (copies.get(String(text)) ?? 0) + 1);
  const wrong = [...replies].flatMap(([text, { status }]) => {
    const found = copies.get(text) ?? 0;
    return (status === 200 ? found === 1 : status === 424 ? found <= 1 : found === 0) ? [] : [{ text, status, found }];
  });
  expect(wrong).toEqual([]);
  expect(copies.get("sent to the wrong machine")).toBeUndefined();
  expect(inbox.filter((message) => Number(message["duplicates"] ?? 0) > 0)).toEqual([]);
  const { api } = paired;
  await eventually("every question and order in the history, once", WITHIN_MS, async () => {
    const texts: string[] = [];
    for (let cursor = ""; ;) {
      const page = await ok(api.get(`/chats/${FRIEND}/messages?limit=100${cursor}`));
      texts.push(...(page.data as { text: string }[]).map(({ text }) => text));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor as string)}`;
    }
    const sent = [...replies].filter(([, { status }]) => status === 200).map(([text]) => text);
    return [...questions, ...sent].every((one) => texts.filter((text) => text === one).length === 1);
  });
  const { status, name } = (await ok(dashboard("GET", `/connections/${paired.id}`))).data;
  expect({ status, name }).toEqual({ status: "connected", name: "Shop" });
  const uncertain = [...replies.values()].filter((reply) => reply.status === 424).length;
  console.log(`moved away and back: ${acknowledged} acknowledged, ${uncertain} uncertain, ${sends.cutOff} attempts cut off`);
});
