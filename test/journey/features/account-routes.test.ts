// Every Account API route of an instance, end to end: the account holder's response, and the result on the phones. Each response is checked
// against the document on arrival (test/README.md); the last test lists the routes that were not called.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountCalls } from "../../support/account-holder.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { calls, chats, labels, presence } from "./account-routes/chats.ts";
import { listeners, messages, sends } from "./account-routes/messages.ts";
import { contacts, groups, profile } from "./account-routes/people.ts";
import { channels, statuses } from "./account-routes/posts.ts";
import { ending, pairing } from "./account-routes/sessions.ts";
import { BIA, BIAS_CHAT, Store } from "./account-routes/store.ts";

let sandbox: SharedSandbox;
let opened: Store;
let startedAt: number;
const store = () => opened;

beforeAll(async () => {
  sandbox = await borrowSandbox();
  startedAt = performance.now();
  opened = await Store.open(sandbox);
});
afterAll(() => sandbox.dispose());

/** Groups of routes. Earlier groups prepare data for later ones. */
const FAMILIES: readonly (readonly [what: string, tests: (store: () => Store) => void])[] = [
  ["an instance", pairing],
  ["a send", sends],
  ["messages", messages],
  ["a listener", listeners],
  ["chats", chats],
  ["labels", labels],
  ["groups", groups],
  ["contacts", contacts],
  ["the profile", profile],
  ["channels", channels],
  ["status posts", statuses],
  ["presence", presence],
  ["calls", calls],
];

describe.each(FAMILIES)("%s", (_, tests) => {
  tests(store);
});

describe("a key", () => {
  const withKey = async (limits: object) => {
    const { body } = await opened.bearer("POST", "/api-keys", { name: "Limited", ...limits });
    expect(body.data, JSON.stringify(body)).toBeDefined();
    return accountCalls(opened.ready, { "x-api-key": body.data.key as string });
  };
  const text = { to: BIA, text: "Not allowed" };
  const path = () => `/instances/${opened.id}`;

  it("cannot send if it is read-only", async () => {
    const reading = await withKey({ scopes: ["read"] });
    expect((await reading("GET", `${path()}/chats/${BIAS_CHAT}`)).status).toBe(200);
    expect(await opened.refused(reading("POST", `${path()}/messages/text`, text), 403, "forbidden")).toMatchObject({
      details: { scope: "send" },
    });
    expect((await opened.network.inbox(BIA)).some((record) => record["text"] === text.text)).toBe(false);
  });

  it("reaches only its own instance if it is bound to one, and never another account's", async () => {
    const other = (await opened.bearer("POST", "/instances", { name: "Other", connect: false })).body.data.id as string;
    const bound = await withKey({ instance_ids: [other] });
    expect((await bound("GET", `/instances/${other}/chats`)).status).toBe(200);
    await opened.refused(bound("POST", `${path()}/messages/text`, text), 403, "forbidden");
    const stranger = `/instances/${crypto.randomUUID()}`;
    await opened.refused(opened.api("POST", `${stranger}/messages/text`, text), 404, "instance_not_found");
    await opened.refused(opened.api("GET", `${stranger}/chats`), 404, "instance_not_found");
    expect((await opened.network.inbox(BIA)).some((record) => record["text"] === text.text)).toBe(false);
    await opened.bearer("DELETE", `/instances/${other}`);
  });
});

describe("the instance", () => {
  ending(store);
});

it("every route of an instance was called", () => {
  expect(opened.uncalled()).toEqual([]);
  console.log(`${opened.called()} routes of an instance called in ${Math.round((performance.now() - startedAt) / 100) / 10} s`);
});
