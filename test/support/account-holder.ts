// An account holder's own system using the Account API: an API key created after sign-in, and endpoints that verify each delivery.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Ready } from "../../src/sandbox/host/state-directory.ts";
import { ACCOUNT_EVENT_TYPES, type AccountEventType } from "../../src/api/events/account/events.ts";
import { accountEvent } from "./events/account-events.ts";
import { ask, type Reply } from "./clients.ts";
import { type Received, Receiver } from "./receiver.ts";

const WITHIN_MS = 60_000;

/** Signs in with email and password, as a browser does, and returns the access token. */
export async function signIn(ready: Ready): Promise<string> {
  const { email, password } = ready.demo;
  const origin = ready.app_url;
  const signedIn = await ask(`${origin}/api/auth/sign-in/email`, { headers: { origin }, json: { email, password } });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
  const { body } = await ask<{ token: string }>(`${origin}/api/auth/token`, { headers: { origin, cookie } });
  return body.token;
}

export type AccountCalls = (method: string, path: string, json?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export function accountCalls(ready: Ready, credential: Record<string, string>): AccountCalls {
  return (method, path, json, headers = {}) =>
    ask(`${ready.base_url}/api${path}`, { method, headers: { ...credential, ...headers }, ...(json === undefined ? {} : { json }) });
}

export type AccountEventBody = { id: string; event: AccountEventType; instance_id: string; timestamp: string; data: any };

/** The account holder's webhook server: it parses every body with its strict schema and recomputes every signature. */
export class AccountHook {
  readonly receiver: Receiver;
  readonly #secret: string | null;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(receiver: Receiver, secret: string | null, headers: Readonly<Record<string, string>>) {
    this.receiver = receiver;
    this.#secret = secret;
    this.#headers = headers;
  }

  /** `headers`: custom headers that each delivery must carry. */
  static async open(secret: string | null, headers: Readonly<Record<string, string>> = {}): Promise<AccountHook> {
    return new AccountHook(await Receiver.start(), secret, headers);
  }

  /** Resolves to the first event of this type whose data matches, past or future. */
  async delivered(event: AccountEventType, what: string, fits: (data: any) => boolean = () => true): Promise<any> {
    const received = await this.receiver.waitFor(`${event}: ${what}`, WITHIN_MS, (body) => body["event"] === event && fits(body["data"]));
    return this.read(received).data;
  }

  all(): AccountEventBody[] {
    return this.receiver.received.map((received) => this.read(received));
  }

  /** Throws if the body or its headers violate the contract. */
  read({ body, headers }: Received): AccountEventBody {
    const said = JSON.parse(body) as AccountEventBody;
    if (!ACCOUNT_EVENT_TYPES.includes(said.event)) throw new Error(`no documented event: ${said.event}`);
    const read = accountEvent(said.event).safeParse(said);
    if (!read.success) throw new Error(`${read.error.message}\nin ${body}`);
    for (const [name, value] of Object.entries(this.#headers)) {
      if (headers[name.toLowerCase()] !== value) throw new Error(`${name}: ${String(headers[name.toLowerCase()])}`);
    }
    if (headers["content-type"] !== "application/json") throw new Error(`content-type ${headers["content-type"]}`);
    this.#verify(body, headers["x-service-signature"]);
    return said;
  }

  #verify(body: string, given: string | string[] | undefined): void {
    if (this.#secret === null) {
      if (given !== undefined) throw new Error("signed without a secret");
      return;
    }
    const mac = createHmac("sha256", this.#secret).update(body).digest();
    const signature = Buffer.from(String(given), "hex");
    if (signature.length !== mac.length || !timingSafeEqual(signature, mac)) throw new Error(`signature ${String(given)} of ${body}`);
  }
}
