import { toNumber, type ChatMutation, type SocketConfig } from "baileys";

const nothing = (): void => undefined;

/** Passes nothing on, because Baileys' log lines contain keys, nodes and message ids. The bridge logs its own decisions. */
export const silentLog: SocketConfig["logger"] = {
  level: "silent",
  child: () => silentLog,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

/** Removes the error from acks, because with it, the network would keep the stanza. The library logs ack attributes before writing them. */
export const libraryLog: SocketConfig["logger"] = {
  ...silentLog,
  child: () => libraryLog,
  debug: (line: unknown) => {
    const { sent } = (line ?? {}) as { sent?: { class?: string; error?: string } };
    if (sent?.class === "message") delete sent.error;
  },
  trace: (line: unknown) => {
    const { syncAction } = (line ?? {}) as { syncAction?: ChatMutation };
    if (syncAction !== undefined) announced = syncAction;
  },
};

let announced: ChatMutation | null = null;

/** The deletion now being emitted covers the chat's messages up to this time (Unix seconds). Null if unknown. */
export function endOfDeletion(jid: string): number | null {
  const [type, chat] = announced?.index ?? [];
  if (type !== "deleteChat" || chat !== jid) return null;
  return toNumber(announced?.syncAction.value?.deleteChatAction?.messageRange?.lastMessageTimestamp) || null;
}
