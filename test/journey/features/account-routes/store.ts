// An Account API instance paired with a phone, and its contacts. It counts the published routes that were called.
import { expect } from "vitest";
import { type PublishedRoute, publishedRoutes } from "#root/test/support/documentation/published-routes.ts";
import { type AccountCalls, accountCalls, signIn } from "#root/test/support/account-holder.ts";
import { phones, type Reply } from "#root/test/support/clients.ts";
import { eventually } from "#root/test/support/eventually.ts";
import type { SharedSandbox } from "#root/test/support/shared-sandbox.ts";

export const [STORE, BIA, CAIO, DUDA] = ["5511900000181", "5511900000182", "5511900000183", "5511900000184"] as const;
export const NOBODY = "5511900009981";
export const BIAS_CHAT = `${BIA}@c.us`;
const WITHIN_MS = 60_000;
const ON_INSTANCE = "/instances/{instanceId}";

/** Matchers for values that every response of an instance contains. */
export const AN_ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
export const DONE = { ok: true };

/** `/groups/join-info` matches the row without a parameter. */
const ROWS = publishedRoutes("account", "/api")
  .filter(({ path }) => path.startsWith(ON_INSTANCE))
  .toSorted((a, b) => parameters(a) - parameters(b));

export class Store {
  readonly ready: ReturnType<SharedSandbox["ready"]>;
  readonly network: ReturnType<typeof phones>;
  /** Full access; these calls are not counted. */
  readonly api: AccountCalls;
  readonly bearer: AccountCalls;
  readonly id: string;
  readonly key: string;
  /** `METHOD path` of each row with a documented response. */
  readonly #called: Set<string>;

  private constructor(world: Pick<Store, "ready" | "network" | "api" | "bearer" | "id" | "key">, called: Set<string>) {
    ({ ready: this.ready, network: this.network, api: this.api, bearer: this.bearer, id: this.id, key: this.key } = world);
    this.#called = called;
  }

  /** A business account that has never been paired and shows its QR code; its contacts have phones. */
  static async open(sandbox: SharedSandbox): Promise<Store> {
    const ready = sandbox.ready();
    const network = phones(ready);
    await network.call("POST", "/phones", { phone: STORE, name: "Store", business: true });
    await Promise.all(Object.entries({ [BIA]: "Bia", [CAIO]: "Caio", [DUDA]: "Duda" }).map(([phone, name]) => network.create(phone, name)));
    const bearer = accountCalls(ready, { authorization: `Bearer ${await signIn(ready)}` });
    const { body } = await bearer("POST", "/api-keys", { name: "Routes" });
    const key = body.data.key as string;
    const api = accountCalls(ready, { "x-api-key": key });
    const made = await api("POST", "/instances", { name: "Routes", settings: { ignore_status: false } });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return new Store({ ready, network, api, bearer, id: made.body.data.id as string, key }, new Set());
  }

  /** Calls an instance route, which must respond with the documented status; returns the body. */
  async ok(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<any> {
    const { status, body } = await this.ask(method, path, json, headers);
    this.counted(method, path, status, JSON.stringify(body));
    return body;
  }

  /** Counts a call with this status. */
  counted(method: string, path: string, status: number, answer = ""): void {
    const row = rowOf(method, path);
    expect(status, `${method} ${path}: ${answer}`).toBe(row.status);
    this.#called.add(`${row.method} ${row.path}`);
  }

  get(path: string): Promise<any> {
    return this.ok("GET", path);
  }

  post(path: string, json?: unknown, headers?: Record<string, string>): Promise<any> {
    return this.ok("POST", path, json, headers);
  }

  /** Sends and returns the result. */
  async send(kind: string, json: object, headers?: Record<string, string>): Promise<any> {
    const body = await this.post(`/messages/${kind}`, { to: BIA, ...json }, headers);
    expect(Object.keys(body)).toEqual(["data"]);
    return body.data;
  }

  /** Calls an instance route without checking the response. */
  ask(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Reply> {
    return this.api(method, `/instances/${this.id}${path}`, json, headers);
  }

  /** Reads a response that is not JSON. */
  async bytes(path: string): Promise<{ headers: Headers; content: Uint8Array }> {
    const url = `${this.ready.base_url}/api/instances/${this.id}${path}`;
    const answer = await fetch(url, { headers: { "x-api-key": this.key } });
    this.counted("GET", path, answer.status);
    return { headers: answer.headers, content: new Uint8Array(await answer.arrayBuffer()) };
  }

  /** Reads a stream up to the first occurrence of `text`. */
  async streamUntil(path: string, text: string): Promise<void> {
    const stop = new AbortController();
    const url = `${this.ready.base_url}/api/instances/${this.id}${path}`;
    const answer = await fetch(url, { headers: { "x-api-key": this.key }, signal: stop.signal });
    this.counted("GET", path, answer.status);
    let seen = "";
    for await (const part of answer.body ?? []) {
      seen += Buffer.from(part).toString();
      if (seen.includes(text)) break;
    }
    stop.abort();
    expect(seen).toContain(text);
  }

  async refused(call: Promise<Reply>, status: number, code: string): Promise<any> {
    const { status: answered, body } = await call;
    expect([answered, body.error?.code], JSON.stringify(body)).toEqual([status, code]);
    return body.error;
  }

  /** Calls an operation that this kind of number does not support; returns the error details. */
  async notSupported(path: string, json: object): Promise<object> {
    const { details } = await this.refused(this.ask("POST", path, json), 501, "not_supported");
    this.#called.add(`POST ${rowOf("POST", path).path}`);
    return details;
  }

  /** Instance routes that have not been called so far. */
  uncalled(): string[] {
    return ROWS.map(({ method, path }) => `${method} ${path}`).filter((row) => !this.#called.has(row));
  }

  called(): number {
    return this.#called.size;
  }

  /** Performs an action on a phone. */
  async on(phone: string, action: string, json: unknown = {}): Promise<any> {
    const { status, body } = await this.network.call("POST", `/phones/${phone}/${action}`, json);
    expect(status, `${action}: ${JSON.stringify(body)}`).toBeLessThan(300);
    return body;
  }

  /** Content shown on a phone. */
  async seen(phone: string, what: string): Promise<any> {
    return (await this.network.call("GET", `/phones/${phone}/${what}`)).body.data;
  }

  /** The message as a person's phone shows it. */
  at(phone: string, id: string, is: (record: any) => boolean = () => true): Promise<any> {
    return eventually(`${id} at ${phone}`, WITHIN_MS, async () =>
      (await this.network.inbox(phone)).find((record) => record["message_id"] === id && is(record)),
    );
  }

  /** Sends a message and returns it as received by Bia. */
  async arrived(kind: string, json: object): Promise<{ result: any; record: any }> {
    const result = await this.send(kind, json);
    return { result, record: await this.at(BIA, result.message_id) };
  }

  /** A message from Bia as the account holder reads it. */
  async fromBia(body: object, chat = BIAS_CHAT): Promise<any> {
    const { message_id } = await this.on(BIA, "send", chat === BIAS_CHAT ? { to: STORE, ...body } : { chat_id: chat, ...body });
    return this.become(`${message_id} at the store`, async () => {
      const read = await this.ask("GET", `/messages/${message_id}`);
      return read.status === 200 && read.body.data;
    });
  }

  become<T>(what: string, is: () => Promise<T>): Promise<Exclude<T, false | null | undefined>> {
    return eventually(what, WITHIN_MS, is);
  }
}

function rowOf(method: string, path: string): PublishedRoute {
  const [asked] = path.split("?");
  const row = ROWS.find((each) => each.method === method && patternOf(each).test(asked ?? ""));
  if (row === undefined) throw new Error(`no row of the index: ${method} ${path}`);
  return row;
}

function patternOf({ path }: PublishedRoute): RegExp {
  return new RegExp(`^${path.slice(ON_INSTANCE.length).replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function parameters({ path }: PublishedRoute): number {
  return path.split("{").length;
}
