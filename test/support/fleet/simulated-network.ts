// A fake network on which every number is linked and open at once. The only remaining costs are the bridge's: its sockets, sessions and
// rows.
import type { NetworkDriver, NetworkLibrary } from "#root/session-bridge/networks/network.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";

/** State rows per session, besides its credentials. */
const ROWS = 30;
const CREDENTIALS = "creds|me";

/** `opened`: the connection's first commit is stored. `redialled`: its lost socket is connected again. */
export type Sightings = { opened(connection: string): void; redialled(connection: string): void };

export function simulatedNetwork(seen: Sightings): NetworkLibrary {
  return {
    rows: {
      encode: (_type, value) => [Buffer.from(JSON.stringify(value))],
      decode: (_type, bytes) => JSON.parse(bytes.toString()) as unknown,
    },
    clientVersion: { set: () => undefined, announced: () => ({ version: "2.3000.1", source: "library" }), served: () => null },
    checkProxy: () => Promise.resolve({ ok: false, reason: "unreachable" } as never),
    createDriver({ connection, store }): NetworkDriver {
      let isOpen = false;
      const phone = `55119${String(Number.parseInt(connection.slice(0, 8), 16) % 100_000_000).padStart(8, "0")}`;
      const refused: Outcome<never> = { ok: false, failure: { code: "not_supported" } };
      return {
        get open() {
          return isOpen;
        },
        get paired() {
          return store.has(CREDENTIALS);
        },
        journalEntries: 0,
        start() {
          const timestamp = Math.floor(Date.now() / 1_000);
          const account = { phone, platform: "android", is_business: false, timestamp };
          if (!store.has(CREDENTIALS)) {
            store.put([[CREDENTIALS, { phone }], ...Array.from({ length: ROWS }, (_, n) => [`pre-key|${n}`, "x".repeat(150)] as const)]);
            store.emit([{ key: null, event: { type: "session.paired", ...account } }]);
          }
          isOpen = true;
          store.emit([{ key: null, event: { type: "session.open", lid: null, profile_name: "Simulated", ...account } }]);
          void store.flushed().then(() => seen.opened(connection));
        },
        settingsChanged: () => seen.redialled(connection),
        disconnect: () => undefined,
        sendsEnded: () => Promise.resolve(),
        stop() {
          isOpen = false;
          return Promise.resolve();
        },
        command: () => Promise.resolve(refused),
      };
    },
  };
}
