// Tokens for first messages (docs/internals/sends.md, "Tokens for first messages"), on accounts that always need one.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { shareSalt } from "#root/test-network/phone/app-state.ts";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import type { PhoneOptions } from "#root/test-network/phone/views.ts";
import type { FakeConnection } from "../../support/bridge/fake-gateway.ts";
import { child } from "#root/test-network/node.ts";
import { eventually } from "../../support/eventually.ts";
import { freshNumber } from "../phones/world.ts";
import { openWorld, receivedTexts, sendText, shownTexts, type World } from "../durability/world.ts";

const TIMEOUT_MS = 60_000;
const SALT_ROW = "nct-salt|own";
/** Stored once the collection was read for a salt. */
const READ_ROW = "bridge|nct-salt-read";

let world: World;
/** Tokens sent by linked devices with their messages, oldest first. */
const tokens: string[] = [];
/** Tokens that were issued, with sender and recipient. */
const given: string[] = [];

beforeAll(async () => {
  world = await openWorld({ strict: true });
  await world.startBridge();
  const refuses = world.network.tokens.refuses.bind(world.network.tokens);
  world.network.tokens.refuses = (from, target, message) => {
    const shown = ["tctoken", "cstoken"].filter((tag) => child(message, tag) !== undefined);
    if (from.id !== 0 && target !== from.account) tokens.push(shown.join(" and ") || "none");
    return refuses(from, target, message);
  };
  const give = world.network.tokens.give.bind(world.network.tokens);
  world.network.tokens.give = (from, target, at) => {
    given.push(`${from.pn} to ${target.pn}`);
    give(from, target, at);
  };
});
beforeEach(() => void tokens.splice(0));
afterAll(() => world.close());

async function link(salt?: PhoneOptions["salt"]): Promise<{ connection: FakeConnection; phone: SimulatedPhone }> {
  const phone = await world.createPhone(freshNumber(), { salt });
  const connection = world.gateway.connection();
  world.gateway.place(connection);
  const { raw } = await connection.saw("session.qr");
  await phone.scan(raw);
  await connection.saw("session.open");
  return { connection, phone };
}

async function outcomeOf(connection: FakeConnection, to: SimulatedPhone, text: string) {
  const id = await sendText(connection, to, text);
  return (await connection.saw("send.settled", ({ message_id }) => message_id === id)).outcome;
}

/** Kills the bridge; another one takes over the session. */
async function restart(connection: FakeConnection): Promise<void> {
  const opened = connection.of("session.open").length;
  await world.startBridge();
  world.gateway.place(connection);
  await eventually("the session to be open again", TIMEOUT_MS, () => connection.of("session.open").length > opened);
}

const queried = (): number => world.network.stats.queries["w:sync:app:state/set/sync"] ?? 0;
const row = ({ deps }: SimulatedPhone): string => `tctoken|${deps.lid}`;
const account = ({ pn }: SimulatedPhone) => world.network.directory.account(pn)!;

it.each([
  ["history and app state", undefined],
  ["history alone", "history"],
  ["app state alone", "app_state"],
] as const)("an account that needs a token reaches a first contact with the salt from %s", async (_from, salt) => {
  const { connection } = await link(salt);
  const stranger = await world.newPhone();
  expect(await outcomeOf(connection, stranger, "nice to meet you")).toMatchObject({ kind: "acknowledged" });
  expect(shownTexts(stranger)).toEqual(["nice to meet you"]);
  expect(tokens).toEqual(["cstoken"]);
});

it("an account without a salt is told that the recipient cannot be messaged, then that the account is restricted", async () => {
  const { connection, phone } = await link("none");
  const refused = { kind: "refused", failure: { code: "temporarily_blocked", attempted: true } };
  for (const scope of ["recipient", "recipient", "account"]) {
    const outcome = await outcomeOf(connection, await world.newPhone(), "hello?");
    expect(outcome).toMatchObject({ ...refused, failure: { ...refused.failure, details: { scope } } });
  }
  expect(tokens).toEqual(["none", "none", "none"]);
  // Each message is sent once, because a repetition would count against the account.
  expect(account(phone).restrictedUntil).toBeGreaterThan(Date.now() / 1000);
});

it("a person who wrote before is reached with their own token, even by a restricted account and after a restart", async () => {
  const { connection, phone } = await link();
  const friend = await world.newPhone();
  await friend.sendText(`${phone.pn}@c.us`, "hi");
  await eventually("the message", TIMEOUT_MS, () => receivedTexts(connection).includes("hi"));
  const theirs = await eventually("their token", TIMEOUT_MS, () => connection.rows.get(row(friend)));
  expect(await outcomeOf(connection, friend, "hi yourself")).toMatchObject({ kind: "acknowledged" });
  expect(tokens).toEqual(["tctoken"]);
  const ours = () => given.filter((one) => one === `${phone.pn} to ${friend.pn}`);
  await eventually("our own token given, and noted", TIMEOUT_MS, () => ours().length === 1 && connection.rows.get(row(friend)) !== theirs);

  await restart(connection);
  account(phone).restrictedUntil = Date.now() / 1000 + 3_600;
  expect(await outcomeOf(connection, friend, "still here")).toMatchObject({ kind: "acknowledged" });
  expect(await outcomeOf(connection, await world.newPhone(), "who are you?")).toMatchObject({ kind: "refused" });
  account(phone).restrictedUntil = undefined;
  expect(tokens).toEqual(["tctoken", "tctoken", "cstoken"]);
  expect(ours()).toHaveLength(1);
});

it("the salt is kept over a restart, and not requested again", async () => {
  const { connection } = await link();
  await eventually("the salt", TIMEOUT_MS, () => connection.rows.has(SALT_ROW));
  await restart(connection);
  const stranger = await world.newPhone();
  const before = queried();
  expect(await outcomeOf(connection, stranger, "hello")).toMatchObject({ kind: "acknowledged" });
  expect(queried()).toBe(before);
});

it("a device paired before salts were stored requests its salt once", async () => {
  const { connection, phone } = await link();
  const friend = await world.newPhone();
  await phone.modify({ mute: 3_600_000 }, `${friend.pn}@c.us`);
  const muted = () => connection.of("chat.updated").filter(({ muted_until }) => muted_until != null);
  await eventually("a muted chat and the salt", TIMEOUT_MS, () => muted().length === 1 && connection.rows.has(SALT_ROW));
  connection.rows.delete(SALT_ROW);
  // The row may already exist: the app state's keys arrive at any time after pairing.
  connection.rows.delete(READ_ROW);
  await restart(connection);
  await eventually("the salt again", TIMEOUT_MS, () => connection.rows.has(SALT_ROW));
  expect(await outcomeOf(connection, await world.newPhone(), "hello again")).toMatchObject({ kind: "acknowledged" });
  expect(tokens).toEqual(["cstoken"]);
  // The rest of the collection is not reported again.
  expect(muted()).toHaveLength(1);
  connection.rows.delete(SALT_ROW);
  const stranger = await world.newPhone();
  const before = queried();
  await restart(connection);
  expect(await outcomeOf(connection, stranger, "none now")).toMatchObject({ kind: "refused" });
  expect(queried()).toBe(before);
});

it("a new salt replaces the one before", async () => {
  const { connection, phone } = await link();
  const before = await eventually("the salt", TIMEOUT_MS, () => connection.rows.get(SALT_ROW));
  world.network.directory.renewSalt(account(phone));
  await phone.act(shareSalt);
  await eventually("the next salt", TIMEOUT_MS, () => connection.rows.get(SALT_ROW) !== before);
  expect(await outcomeOf(connection, await world.newPhone(), "with the new one")).toMatchObject({ kind: "acknowledged" });
});
