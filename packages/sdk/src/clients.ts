// The clients of both APIs. Their methods come from the generated rows, and their types from the generated interfaces.
import { CONNECTION_PREFIX, Core, segment } from "./core.ts";
import { type AccountResources, type InstanceResources, accountRows, instanceRows } from "./generated/account.ts";
import { type ConnectionResources, connectionRows } from "./generated/connection.ts";
import { accountEventTypes, connectionEventTypes } from "./generated/event-types.ts";
import { type GapEvent, listen, type ListenOptions, listenRaw, type RawEvent } from "./listen.ts";
import type { ClientOptions } from "./options.ts";
import type { AccountWebhook, ConnectionWebhook } from "./webhooks.ts";

type Rows = Record<string, Record<string, string>>;

/** A durable listener (docs/use/listeners.md, "With the SDK"). It receives each event once and in order, even after restarts. */
export interface Events<Event> {
  listen(options?: ListenOptions): AsyncIterable<Event | GapEvent>;
  /** Yields the events' bodies as text, exactly as in a webhook. */
  listenRaw(options?: ListenOptions): AsyncIterable<RawEvent | GapEvent>;
}

/** Resources are not enumerable, so that logging a client shows neither them nor its key. `known` contains the event types, if any. */
class Client {
  readonly #core: Core;
  constructor(core: Core, prefix: string, rows: Rows, known?: readonly string[]) {
    this.#core = core;
    const define = (name: string, value: object): unknown => Object.defineProperty(this, name, { value });
    for (const [resource, methods] of Object.entries(rows)) {
      const bound = Object.entries(methods).map(([name, row]) => [name, (...given: unknown[]) => core.run(row, prefix, given)]);
      define(resource, Object.freeze(Object.fromEntries(bound)));
    }
    if (known === undefined) return;
    const api = core.listenApi(prefix, known);
    define("events", {
      listen: (options: ListenOptions = {}) => listen(api, options),
      listenRaw: (options: ListenOptions = {}) => listenRaw(api, options),
    });
  }
  toJSON(): { baseUrl: string } {
    return this.#core.toJSON();
  }
}

class ConnectionApi extends Client {
  constructor(options: ClientOptions) {
    super(new Core(options), CONNECTION_PREFIX, connectionRows, connectionEventTypes);
  }
}

class AccountApi extends Client {
  readonly instance: (instanceId: string) => Client;
  constructor(options: ClientOptions) {
    const core = new Core(options);
    super(core, "/api/", accountRows);
    this.instance = (instanceId) => new Client(core, `/api/instances/${segment(instanceId)}/`, instanceRows, accountEventTypes);
  }
}

/** The Connection API, whose key belongs to one number. */
export interface ConnectionClient extends ConnectionResources {
  readonly events: Events<ConnectionWebhook>;
}
export const ConnectionClient = ConnectionApi as unknown as new (options: ClientOptions) => ConnectionClient;

export interface InstanceClient extends InstanceResources {
  readonly events: Events<AccountWebhook>;
}

/** The Account API, whose key belongs to an account with its instances. */
export interface AccountClient extends AccountResources {
  /** The methods of one instance, as in `account.instance(id).messages.sendText(…)`. */
  instance(instanceId: string): InstanceClient;
}
export const AccountClient = AccountApi as unknown as new (options: ClientOptions) => AccountClient;
