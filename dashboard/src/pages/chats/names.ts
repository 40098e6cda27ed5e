// Names of people, from the chats, messages and groups that this page has read.
import type { InfiniteData } from "@tanstack/react-query";
import { queries } from "../../api/cache.ts";
import { reading } from "../../api/client.ts";
import type { NameOf } from "../../domain/messages/formatted-text.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { type Chat, CHATS, type Message, MESSAGES } from "./reads.ts";

type Named = Chat | Message | { phone: string | null; name: string | null };
type Page = { data: readonly Named[] };

/** By the content of a page, which stays the same object until it changes. */
const known = new WeakMap<readonly Named[], ReadonlyMap<string | null, string>>();

/** As opposed to an internal id of the network. */
const PHONE = /^\d{10,13}$/;

/** `you` names this number. A person is named as beside the person's messages, as in the list of chats, or by the number. */
export function namesIn(id: string, you: string): NameOf {
  let all: ReadonlyMap<string | null, string>[] | undefined;
  return (phone) => {
    all ??= [
      new Map([[queries.getQueryData(reading("GET /connections/{id}", { id }).queryKey)?.data.phone ?? null, you]]),
      ...[MESSAGES, CHATS].flatMap((name) =>
        queries
          .getQueriesData<InfiniteData<Page> | Page>({ queryKey: [name, { id }] })
          .flatMap(([, read]) => (read === undefined ? [] : "pages" in read ? read.pages : [read]))
          .map(namesOf),
      ),
      ...queries
        .getQueriesData<{ participants: Page["data"] }>({ queryKey: ["account GET /groups/{chat_id}", { id }] })
        .flatMap(([, group]) => (group === undefined ? [] : [namesOf({ data: group.participants })])),
    ];
    const name = all.find((names) => names.has(phone))?.get(phone);
    return name ?? (PHONE.test(phone) ? groupedPhone(phone) : undefined);
  };
}

function namesOf({ data }: Page): ReadonlyMap<string | null, string> {
  const names =
    known.get(data) ??
    new Map(
      // The newest message is the first one, and its name counts.
      data.toReversed().flatMap((each): [string | null, string][] => {
        const [phone, name] = "from" in each ? [each.from, each.push_name] : [each.phone, each.name];
        return phone === null || !name ? [] : [[phone, name]];
      }),
    );
  known.set(data, names);
  return names;
}
