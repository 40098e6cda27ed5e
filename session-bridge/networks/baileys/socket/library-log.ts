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
