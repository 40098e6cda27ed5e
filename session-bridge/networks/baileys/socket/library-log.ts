import type { SocketConfig } from "baileys";

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
 * login, and withholds whatever waits behind it. The library announces an ack here, by its very attributes, before it writes it
 * (docs/durability.md, "Defects of the libraries").
 */
export const plainAcksLog: SocketConfig["logger"] = {
  ...silentLog,
  child: () => plainAcksLog,
  debug: (line: unknown) => {
    const { sent } = (line ?? {}) as { sent?: { class?: string; error?: string } };
    if (sent?.class === "message") delete sent.error;
  },
};
