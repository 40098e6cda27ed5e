// The typed stub of a connection's object. RPC's own result types lose unions and generics (docs/internals/architecture.md, "Commands, operations and
// events"), so the methods are typed here; only plain values cross.
import { regionOfPool } from "@gateway/domain/fleet/shards.ts";
import type { Env } from "../../env.ts";
import type { AccountEndpoint } from "@gateway/protocol/account-endpoint.ts";
import type { CloudConfiguration } from "@gateway/protocol/cloud/credentials.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { Answer, Call, ConnectionRecord, StoreFiles, RequestOutcome } from "@gateway/protocol/connection.ts";

/** What became of a session that was to go to another bridge. */
export type HandOver = "moved" | "under_way" | "ended" | "not_connected";

/** How one of Meta's webhooks is answered. Unless it is 200 or 401, Meta sends it again. */
export type WebhookAnswer = 200 | 401 | 500 | 503;

export type ConnectionStub = {
  /** Runs one authenticated request; `storeFiles` stores its files when it has some. */
  perform(call: Call, storeFiles: StoreFiles | null): Promise<Answer>;
  /** What the call will be refused for whatever its body is; null: its body may be read. Counts nothing. */
  screen(call: Call): Promise<Answer | null>;
  /** A call was answered otherwise than the object could know; its log says so. */
  amendRequest(outcome: RequestOutcome): Promise<void>;
  /** Replaces the object's copy of the connection's D1 record, unless it has a newer revision. */
  configure(record: ConnectionRecord): Promise<void>;
  /**
   * The credentials of a number of the Cloud API: tried, and stored when Graph takes them. Fails `cloud_credentials_invalid`, `unavailable`;
   * what was stored before is then as it was.
   */
  configureCloud(configuration: CloudConfiguration): Promise<Outcome<Record<string, never>>>;
  /** Replaces the object's copy of the account's webhook endpoints, unless it has a newer revision. */
  accountEndpointsChanged(endpoints: AccountEndpoint[], revision: number): Promise<void>;
  /** The bridge of this generation is dead, is being drained, or gave the session up. */
  bridgeLost(generation: number): Promise<void>;
  /** The session of this generation goes to another bridge, although its own one works. Answers when it has been taken over. */
  handOver(generation: number, connectedOnly: boolean): Promise<HandOver>;
  /** Whether this bridge hosts the connection's session. */
  isHostedBy(bridge: string): Promise<boolean>;
  /** One of Meta's webhooks, byte for byte, and the header with its signature. */
  cloudWebhook(bytes: Uint8Array, signature: string | null): Promise<WebhookAnswer>;
  /** Whether Meta's handshake has the token that this connection gave it. */
  cloudHandshake(token: string): Promise<boolean>;
  /** Wakes the object, which then runs overdue work. */
  poke(): Promise<void>;
  /** Brings what it has counted to D1, the running hour too. In production objects do so by themselves, when an hour has ended. */
  pushStatistics(): Promise<void>;
  /** Begins the removal: nothing of the connection works any more when it returns, and the rest goes on by itself. */
  remove(): Promise<void>;
  /** The same, and waits for its end, but not for long. */
  wipe(): Promise<void>;
  /** The upgrade of a session socket. */
  fetch(request: Request): Promise<Response>;
};

/** `uuid` has to be validated before: any name creates an object. The first time it is put near `home`. */
export function connectionStub(env: Pick<Env, "CONNECTION">, uuid: string, home: string | null = null): ConnectionStub {
  const region = home === null ? null : regionOfPool(home);
  return (region === null
    ? env.CONNECTION.getByName(uuid)
    : env.CONNECTION.getByName(uuid, { locationHint: region })) as unknown as ConnectionStub;
}
