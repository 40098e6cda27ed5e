// A connection moves to another machine and back under a load that never stops (docs/operate/moving.md, "One gateway has the session").
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Called, customer, phones } from "../../support/clients.ts";
import { type LocalNetwork, startLocalNetwork } from "../../support/one-machine/network.ts";
import { type PairedNumber, pairNumber } from "../../support/one-machine/paired-number.ts";
import { firstAdministrator, type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";
import { ok } from "../../support/replies.ts";
import { MovedMessages } from "./moved-messages.ts";

const NUMBER = "5511940000051";
const FRIEND = "5511940000052";
const BETWEEN_MOVES = 25;
const MOVE_SECRET = "a secret of two gateways, long enough";

type Dashboard = Awaited<ReturnType<typeof firstAdministrator>>["dashboard"];

let network: LocalNetwork;
let home: ServedGateway;
let away: ServedGateway;
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

const calledAt = (gateway: ServedGateway, key: string): Called => ({ app_url: gateway.url, demo: { connection: { api_key: key } } });

async function pairedAtHome(
  settings: Record<string, string> = {},
): Promise<{ paired: PairedNumber; dashboard: Dashboard; messages: MovedMessages }> {
  network = await startLocalNetwork();
  home = await startServedGateway({ ...network.settings, ...settings, BACKUP_TIME: "off" });
  away = await startServedGateway({ ...network.settings, ...settings, BACKUP_TIME: "off" });
  const { dashboard } = await firstAdministrator(home);
  await firstAdministrator(away);
  const phone = phones(network);
  await phone.create(FRIEND, "Friend");
  await ok(phone.call("PATCH", `/phones/${FRIEND}`, { reply: null }));
  const paired = await pairNumber(home, network, dashboard, NUMBER);
  return { paired, dashboard, messages: new MovedMessages(network, { own: NUMBER, friend: FRIEND }, paired.called) };
}

/** The gateway that the connection left answers calls with a clear error, and sends nothing. */
async function hasLeft(from: ServedGateway, key: string): Promise<void> {
  const left = await customer(calledAt(from, key)).text(FRIEND, "sent to the wrong machine");
  expect(left).toMatchObject({ status: 409, body: { error: { codigo: "conexao_desconectada" } } });
}

async function isHome(dashboard: Dashboard, paired: PairedNumber, messages: MovedMessages, route: string): Promise<void> {
  await messages.acknowledgedMore(BETWEEN_MOVES);
  const counts = await messages.endAndCheck(paired.api);
  const { status, name } = (await ok(dashboard("GET", `/connections/${paired.id}`))).data;
  expect({ status, name }).toEqual({ status: "connected", name: "Shop" });
  console.log(`moved ${route} and back: ${counts}`);
}

it("a move between two machines loses and doubles no message, and pairs nothing again", async () => {
  const { paired, dashboard, messages } = await pairedAtHome();
  const move = async (from: ServedGateway, to: ServedGateway, ...owner: string[]) => {
    await messages.acknowledgedMore(BETWEEN_MOVES);
    await messages.question("before");
    const file = join(from.backups, "..", "shop.move");
    const running = await from.command("move/export-command.ts", NUMBER, "--to", "nobody", "--file", file);
    expect(running).toMatchObject({ code: 1, output: expect.stringMatching(/^--to: nobody is not an address/) });
    const address = await command(to, "import", "--address");
    const inUse = await from.command("move/export-command.ts", "1", "--to", address, "--file", file);
    expect(inUse).toMatchObject({ code: 1, output: expect.stringMatching(/is in use by a gateway .*stop it first\n$/) });
    await from.stop();
    messages.called = calledAt(to, paired.key);
    await to.stop();
    if (to === away) giveOtherKeyNumber(to, keyNumber(from));
    await messages.question("meanwhile");
    const movedAt = performance.now();
    await command(from, "export", "1", "--to", address, "--file", file);
    expect(await command(to, "import", file, ...owner)).toMatch(/its API keys work here; start the gateway$/);
    console.log(`exported and imported in ${Math.round(performance.now() - movedAt)} ms`);
    await Promise.all([from.start(), to.start()]);
    await hasLeft(from, paired.key);
    await messages.acknowledgedMore(BETWEEN_MOVES);
    await messages.question("after");
  };
  await move(home, away, "--owner", "admin@gateway.local");
  await move(away, home);
  await isHome(dashboard, paired, messages, "to a machine");
});

/** `away` runs all the time, as a deployment at the edge does, with the worker for moves. */
it("a move to a running gateway and back loses and doubles no message", async () => {
  const { paired, dashboard, messages } = await pairedAtHome({ MOVE_SECRET });
  await away.stop();
  giveOtherKeyNumber(away, keyNumber(home));
  await away.start();
  await messages.acknowledgedMore(BETWEEN_MOVES);
  await messages.question("before");
  let uuid = "";
  await messages.duringMove(async () => {
    await home.stop();
    await messages.question("meanwhile");
    const stranger = await home.command("move/export-command.ts", "1", "--to", away.url, "--owner", "nobody@example.com");
    expect(stranger).toMatchObject({ code: 1, output: `${away.url}: --owner: there is no active account nobody@example.com\n` });
    const movedAt = performance.now();
    const sent = await command(home, "export", "1", "--to", away.url, "--owner", "admin@gateway.local");
    console.log(`sent in ${Math.round(performance.now() - movedAt)} ms`);
    [, uuid = ""] = /connection (\S+) is at/.exec(sent) ?? [];
    const [, secret = ""] = /its API keys work once KEY_SECRET there is as in (\S+)$/.exec(sent) ?? [];
    const merged = readFileSync(secret, "utf8");
    // As `wrangler secret put`, which restarts the worker.
    await away.stop();
    const file = secretsFile(away);
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(/^KEY_SECRET=.*$/m, () => `KEY_SECRET="${merged}"`),
    );
    await away.start();
    expect(await command(home, "export", "1", "--to", away.url), "a repeated command changes nothing").toMatch(/its API keys work there$/);
    await home.start();
    messages.called = calledAt(away, paired.key);
  });
  await hasLeft(home, paired.key);
  await messages.acknowledgedMore(BETWEEN_MOVES);
  await messages.question("after");
  await messages.duringMove(async () => {
    await home.stop();
    const movedAt = performance.now();
    expect(await command(home, "import", uuid, "--from", away.url)).toMatch(/its API keys work here; start the gateway$/);
    console.log(`fetched in ${Math.round(performance.now() - movedAt)} ms`);
    await messages.question("meanwhile");
    messages.called = calledAt(home, paired.key);
    await home.start();
  });
  await hasLeft(away, paired.key);
  await isHome(dashboard, paired, messages, "up");
});
