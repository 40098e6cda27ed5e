// Lists with more text than one response of the object may hold: their pages are shorter.
import { expect, it } from "vitest";
import type { Page } from "#root/durable-objects/connection/store/pagination.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import { ALL_CHATS, ALL_MESSAGES, value, walk } from "./queries.ts";
import { ANA, groupOf, type TestStores, upsert, withStores } from "./world.ts";

const chat = (n: number): string => `5511900000${String(n).padStart(3, "0")}@c.us`;

const LONG = "z".repeat(400_000);
const LONG_LISTS: Record<
  string,
  { fill: (n: number) => NetworkEvent; page: (world: TestStores, cursor: string | null) => Outcome<Page<unknown>> }
> = {
  messages: {
    fill: () => upsert({ text: LONG }),
    page: ({ stores }, cursor) => stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: ANA, cursor }),
  },
  "messages that a filter finds": {
    fill: () => upsert({ text: LONG }),
    page: ({ stores }, cursor) => stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: ANA, type: "text", cursor }),
  },
  "messages with long polls": {
    fill: () => upsert({ poll: { question: LONG, options: ["a"], selectable_count: 1 } }),
    page: ({ stores }, cursor) => stores.messageQueries.list({ ...ALL_MESSAGES, chat_id: ANA, cursor }),
  },
  chats: {
    fill: (n) => upsert({ chat_id: chat(n), push_name: LONG }),
    page: ({ stores }, cursor) => stores.chatQueries.list({ ...ALL_CHATS, cursor }),
  },
  // The name counts twice, because rows also store it as sort key.
  contacts: {
    fill: (n) => upsert({ chat_id: chat(n), push_name: LONG.slice(200_000) }),
    page: ({ stores }, cursor) => stores.contacts.list({ limit: 100, cursor, q: null, saved: null, blocked: null }),
  },
  groups: {
    fill: (n) => ({ type: "group.snapshot", group: { ...groupOf(LONG.slice(200_000)), group_id: `12036300000000000${n}@g.us` } }),
    page: ({ stores }, cursor) => stores.groups.list({ limit: 100, cursor, q: null }),
  },
};

it.each(Object.entries(LONG_LISTS))(
  "a page of %s ends where one response can hold no more, and the next page continues there",
  (_what, { fill, page }) =>
    withStores((world) => {
      for (let n = 1; n <= 5; n += 1) world.apply(fill(n));
      const pages = walk((cursor) => page(world, cursor));
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
      expect(new Set(pages.flat().map((item) => JSON.stringify(item))).size).toBe(5);
    }),
);

it.each(["contacts", "groups"])("a list continues after a name of any length with a cursor that a URL can hold (%s)", (what) =>
  withStores((world) => {
    const { fill, page } = LONG_LISTS[what]!;
    for (let n = 1; n <= 5; n += 1) world.apply(fill(n));
    const { next_cursor: cursor } = value(page(world, null));
    expect(cursor?.length).toBeLessThan(512);
    expect(value(page(world, cursor)).items).toHaveLength(2);
  }),
);

it("a list shows a message that is too long for a page of its own", () =>
  withStores((world) => {
    world.apply(upsert({ text: "first" }), upsert({ text: "z".repeat(1_500_000) }), upsert({ text: "last" }));
    expect(walk((cursor) => LONG_LISTS["messages"]!.page(world, cursor)).map(({ length }) => length)).toEqual([1, 1, 1]);
  }));
