// The stub for a connection's object. It is typed here, because RPC's result types lose unions and generics.
import type { Location } from "@gateway/domain/fleet/locations.ts";
import type { Env } from "../../env.ts";
import type { AccountEndpoint, Call, CallResult, ConnectionRecord, StoreFiles, RequestOutcome } from "@gateway/protocol/connection.ts";
import type { CloudConfiguration } from "@gateway/protocol/cloud.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import {
  EVENT_SOCKET_PATH,
  type EventSocketRequest,
  LISTENER_SOCKET_PATH,
  type ListenerSocketRequest,
  STATUS_SOCKET_PATH,
  type StatusSocketRequest,
} from "@gateway/protocol/stream-sockets.ts";
import { isTransientError } from "../exceptions.ts";

/** `moved` and `under_way` say whether another bridge took over within ten seconds. With `not_connected`, the session stays. */
export type HandOver = "moved" | "under_way" | "ended" | "not_connected";

/** The response to a Meta webhook. Meta retries unless it is 200 or 401. */
export type WebhookStatus = 200 | 401 | 500 | 503;

/** A request, message or delivery that the object knows. `at` is in Unix ms. `title` and `detail` contain no message text. */
export type Located = { kind: "request" | "message" | "delivery"; at: number; title: string; detail: string | null };

export type ConnectionStub = {
  perform(call: Call, storeFiles: StoreFiles | null): Promise<CallResult>;
  /** Returns the refusal if it does not depend on the body. Null means that the body may be read. Does not count the call. */
  screen(call: Call): Promise<CallResult | null>;
  /** Corrects the request log if the response differs from what the object expected. */
  amendRequest(outcome: RequestOutcome): Promise<void>;
  /** Replaces the object's copy of the D1 record, unless that copy has a newer revision. */
  configure(record: ConnectionRecord): Promise<void>;
  /** Verifies and stores credentials. On failure (`cloud_credentials_invalid`, `unavailable`) the stored ones are kept. */
  configureCloud(configuration: CloudConfiguration): Promise<Outcome<Record<string, never>>>;
  /** Replaces the object's copy of the account's endpoints, unless that copy has a newer revision. */
  accountEndpointsChanged(endpoints: AccountEndpoint[], revision: number): Promise<void>;
  bridgeLost(generation: number): Promise<void>;
  /** Moves this generation's session to another bridge. Waits at most ten seconds until that bridge has taken over. */
  handOver(generation: number, connectedOnly: boolean): Promise<HandOver>;
  isHostedBy(bridge: string): Promise<boolean>;
  cloudWebhook(bytes: Uint8Array, signature: string | null): Promise<WebhookStatus>;
  cloudHandshake(token: string): Promise<boolean>;
  poke(): Promise<void>;
  /** Describes, for administrators, what this id refers to in this object. Returns null if it refers to nothing. */
  locate(id: string): Promise<Located | null>;
  /** Pushes the counts to D1, including the current hour. In production, objects do this after each hour. */
  pushStatistics(): Promise<void>;
  /** Starts the removal. Once this returns, the connection can no longer be used, and the rest continues in the background. */
  remove(): Promise<void>;
  /** Like `remove`, but also waits a limited time for the removal to finish. */
  wipe(): Promise<void>;
  fetch(request: Request): Promise<Response>;
};

/** Validate `uuid` first, because any name creates an object. The first call places the object, and later hints have no effect. */
export function connectionStub(env: Pick<Env, "CONNECTION">, uuid: string, locationHint: Location | null = null): ConnectionStub {
  return (locationHint === null
    ? env.CONNECTION.getByName(uuid)
    : env.CONNECTION.getByName(uuid, { locationHint })) as unknown as ConnectionStub;
}

// WebSockets from the worker to a connection's object. They are returned without being accepted. Null while the object is unreachable.
export function openWatchSocket(env: Pick<Env, "CONNECTION">, uuid: string, request: StatusSocketRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, STATUS_SOCKET_PATH, request);
}

export function openEventSocket(env: Pick<Env, "CONNECTION">, uuid: string, request: EventSocketRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, EVENT_SOCKET_PATH, request);
}

export function openListenerSocket(env: Pick<Env, "CONNECTION">, uuid: string, request: ListenerSocketRequest): Promise<WebSocket | null> {
  return socketAt(env, uuid, LISTENER_SOCKET_PATH, request);
}

async function socketAt(env: Pick<Env, "CONNECTION">, uuid: string, path: string, request: object): Promise<WebSocket | null> {
  const query = new URLSearchParams({ request: JSON.stringify(request) }).toString();
  const upgrade = new Request(`https://connection${path}?${query}`, { headers: { upgrade: "websocket" } });
  try {
    return (await connectionStub(env, uuid).fetch(upgrade)).webSocket;
  } catch (error) {
    if (isTransientError(error)) return null;
    throw error;
  }
}
