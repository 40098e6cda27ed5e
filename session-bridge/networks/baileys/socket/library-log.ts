import { toNumber, type ChatMutation, type SocketConfig } from "baileys";

const nothing = (): void => undefined;

/** Baileys' log lines contain keys, nodes and message ids: none is passed on. What matters is logged where it is decided. */
export const silentLog: SocketConfig["logger"] = {
  level: "silent",
  child: () => silentLog,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

/**
 * Logs nothing either, and makes every ack a plain one. The network keeps a stanza that is answered with an error, brings it first at each
 * login, and withholds whatever waits behind it. The library announces an ack here, by its very attributes, before it writes it, and a change
 * of the app state, before it emits less of it (docs/internals/baileys.md, "Defects of the libraries").
 */
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

/** Its event follows in the same tick. */
let announced: ChatMutation | null = null;

/** The time (Unix seconds) up to which the chat's messages were deleted, by the deletion that is being told; null when it does not say. */
export function endOfDeletion(jid: string): number | null {
  const [type, chat] = announced?.index ?? [];
  if (type !== "deleteChat" || chat !== jid) return null;
  return toNumber(announced?.syncAction.value?.deleteChatAction?.messageRange?.lastMessageTimestamp) || null;
}
