// The clients of both APIs. Their methods come from the generated rows, their types from the generated interfaces.
import { Core, segment } from "./core.ts";
import { type AccountResources, type InstanceResources, accountRows, instanceRows } from "./generated/account.ts";
import { type ConnectionResources, connectionRows } from "./generated/connection.ts";
import { accountEventTypes, connectionEventTypes } from "./generated/event-types.ts";
import { type GapEvent, listen, type ListenApi, type ListenOptions, listenRaw, type RawEvent } from "./listen.ts";
import type { ClientOptions } from "./options.ts";
import type { AccountWebhook, ConnectionWebhook } from "./webhooks.ts";

type Rows = Record<string, Record<string, string>>;

/** Resources are not enumerable, so a logged client shows neither them nor its key. */
function bind(target: object, core: Core, prefix: string, rows: Rows): void {
  for (const [resource, methods] of Object.entries(rows)) {
    const bound = Object.entries(methods).map(([name, row]) => [name, (...given: unknown[]) => core.run(row, prefix, given)]);
    Object.defineProperty(target, resource, { value: Object.freeze(Object.fromEntries(bound)) });
  }
}

class Client {
  readonly #core: Core;
  constructor(core: Core, prefix: string, rows: Rows) {
    this.#core = core;
    bind(this, core, prefix, rows);
  }
  toJSON(): { baseUrl: string } {
    return this.#core.toJSON();
  }
}

/** A durable listener (docs/use/listeners.md, "With the SDK"). It receives each event once and in order, even after restarts. */
export interface Events<Event> {
  listen(options?: ListenOptions): AsyncIterable<Event | GapEvent>;
  /** Yields the bodies as text, exactly as a webhook carries them. */
  listenRaw(options?: ListenOptions): AsyncIterable<RawEvent | GapEvent>;
}

function eventsOf<Event>(api: ListenApi): Events<Event> {
  return {
    listen: (options = {}) => listen(api, options) as AsyncIterable<Event | GapEvent>,
    listenRaw: (options = {}) => listenRaw(api, options),
  };
}

class ConnectionApi extends Client {
  constructor(options: ClientOptions) {
    const core = new Core(options);
    super(core, CONNECTION_PREFIX, connectionRows);
    Object.defineProperty(this, "events", { value: eventsOf(core.listenApi(CONNECTION_PREFIX, "type", connectionEventTypes)) });
  }
}

const CONNECTION_PREFIX = "/api/v1/";

class AccountApi extends Client {
  readonly instance: (instanceId: string) => InstanceClient;
  constructor(options: ClientOptions) {
    const core = new Core(options);
    super(core, "/api/", accountRows);
    this.instance = (instanceId) => {
      const prefix = `/api/instances/${segment(instanceId)}/`;
      const events = eventsOf(core.listenApi(prefix, "event", accountEventTypes));
      return Object.defineProperty(new Client(core, prefix, instanceRows), "events", { value: events }) as unknown as InstanceClient;
    };
  }
}

/** The Connection API: its key belongs to one number. */
export interface ConnectionClient extends ConnectionResources {
  readonly events: Events<ConnectionWebhook>;
}
export const ConnectionClient = ConnectionApi as unknown as new (options: ClientOptions) => ConnectionClient;

export interface InstanceClient extends InstanceResources {
  readonly events: Events<AccountWebhook>;
}

/** The Account API: its key belongs to an account with its instances. */
export interface AccountClient extends AccountResources {
  /** The methods of one instance: `account.instance(id).messages.sendText(…)`. */
  instance(instanceId: string): InstanceClient;
}
export const AccountClient = AccountApi as unknown as new (options: ClientOptions) => AccountClient;
