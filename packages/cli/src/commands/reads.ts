// `gateway chats` and `gateway messages` read what the gateway has stored.
import { type Command, type Flags, textFlag, UsageError } from "../command.ts";
import { printable, quoted } from "../printable.ts";
import { targetOf } from "../target.ts";

const DEFAULT_LIMIT = 20;
const PAGE = 200;

const FLAGS: Command["flags"] = {
  limit: { value: "NUMBER", about: `at most this many, newest first; default ${DEFAULT_LIMIT}` },
  json: { about: "prints one JSON object per line" },
};

export const chats: Command = {
  usage: "",
  summary: "lists the number's chats, newest first",
  flags: FLAGS,
  run: async ({ flags }, io) => {
    const limit = limitOf(flags);
    const list = targetOf(flags, io).gateway.chats.list({ limit: Math.min(limit, PAGE) }, { signal: io.signal });
    for await (const chat of firstOf(list, limit)) {
      if (flags["json"] === true) io.print(JSON.stringify(chat));
      else io.print(row([chat.chat_id, printable(chat.name ?? ""), String(chat.unread_count), quoted(chat.last_message?.text)]));
    }
    return 0;
  },
};

export const messages: Command = {
  usage: "CHAT",
  summary: "lists the messages of a chat, newest first",
  flags: FLAGS,
  run: async ({ flags, words: [chatId, ...rest] }, io) => {
    if (chatId === undefined || rest.length > 0) throw new UsageError("write the id of the chat, as `gateway chats` shows it");
    const limit = limitOf(flags);
    const list = targetOf(flags, io).gateway.chats.listMessages(chatId, { limit: Math.min(limit, PAGE) }, { signal: io.signal });
    for await (const message of firstOf(list, limit)) {
      const { message_id, from, type, text, timestamp } = message;
      if (flags["json"] === true) io.print(JSON.stringify(message));
      else io.print(row([new Date(timestamp * 1000).toISOString(), printable(message_id), from ?? "", type, quoted(text)]));
    }
    return 0;
  },
};

/** Columns are separated by tabs, for scripts. */
function row(cells: readonly string[]): string {
  return cells.join("\t");
}

async function* firstOf<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count === limit) return;
  }
}

function limitOf(flags: Flags): number {
  const given = textFlag(flags, "limit") ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,5}$/.test(given)) throw new UsageError(`--limit ${given}: write a number from 1`);
  return Number(given);
}
