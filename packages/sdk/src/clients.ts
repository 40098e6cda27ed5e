// The clients of both APIs. Their methods come from the generated rows; their types from the generated interfaces.
import { Core, segment } from "./core.ts";
import { type AccountResources, type InstanceResources, accountRows, instanceRows } from "./generated/account.ts";
import { type ConnectionResources, connectionRows } from "./generated/connection.ts";
import type { ClientOptions } from "./options.ts";

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

class ConnectionApi extends Client {
  constructor(options: ClientOptions) {
    super(new Core(options), "/api/v1/", connectionRows);
  }
}

class AccountApi extends Client {
  readonly instance: (instanceId: string) => InstanceClient;
  constructor(options: ClientOptions) {
    const core = new Core(options);
    super(core, "/api/", accountRows);
    this.instance = (instanceId) => new Client(core, `/api/instances/${segment(instanceId)}/`, instanceRows) as unknown as InstanceClient;
  }
}

/** The Connection API: its key belongs to one number. */
export interface ConnectionClient extends ConnectionResources {}
export const ConnectionClient = ConnectionApi as unknown as new (options: ClientOptions) => ConnectionClient;

export interface InstanceClient extends InstanceResources {}

/** The Account API: its key belongs to an account with its instances. */
export interface AccountClient extends AccountResources {
  /** The methods of one instance: `account.instance(id).messages.sendText(…)`. */
  instance(instanceId: string): InstanceClient;
}
export const AccountClient = AccountApi as unknown as new (options: ClientOptions) => AccountClient;
