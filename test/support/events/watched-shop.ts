// A business with its own connection, people who write to it, and a receiver for all events.
import { expect } from "vitest";
import { phones } from "../clients.ts";
import { pairConnection, type PairedConnection } from "../paired-connection.ts";
import { Receiver } from "../receiver.ts";
import { borrowSandbox, type SharedSandbox } from "../shared-sandbox.ts";
import { WatchedEvents } from "./watched-events.ts";

type Fits = (data: any) => boolean;

export class WatchedShop {
  readonly receiver: Receiver;
  readonly network: ReturnType<typeof phones>;
  readonly shop: PairedConnection;
  readonly #sandbox: SharedSandbox;
  #events: WatchedEvents | null = null;

  private constructor(sandbox: SharedSandbox, receiver: Receiver, shop: PairedConnection) {
    this.#sandbox = sandbox;
    this.receiver = receiver;
    this.shop = shop;
    this.network = phones(sandbox.ready());
  }

  /** `people`: names keyed by phone number. */
  static async open(phone: string, name: string, people: Readonly<Record<string, string>>): Promise<WatchedShop> {
    const [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
    const network = phones(sandbox.ready());
    await Promise.all(Object.entries(people).map(([each, called]) => network.create(each, called)));
    return new WatchedShop(sandbox, receiver, await pairConnection(sandbox.ready(), phone, { name, business: true }));
  }

  async close(): Promise<void> {
    await Promise.all([this.#sandbox.dispose(), this.receiver.stop()]);
  }

  /** Configures the webhook; callers check the response. */
  async subscribe(events?: readonly string[]): Promise<any> {
    const webhook = await this.owner("PUT", "/webhook", { url: this.receiver.url, events });
    if (webhook.secret !== undefined) this.#events = new WatchedEvents(this.receiver, webhook.secret);
    return webhook;
  }

  get events(): WatchedEvents {
    if (this.#events === null) throw new Error("not subscribed yet");
    return this.#events;
  }

  /** Calls the dashboard API as the owner. */
  async owner(method: string, path: string, json?: unknown): Promise<any> {
    const { status, body } = await this.shop.owner.call(method, `/connections/${this.shop.id}${path}`, json);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body.data;
  }

  /** Calls the Connection API as the customer's system. */
  async api(method: string, path: string, json?: unknown): Promise<any> {
    const { status, body } = await this.shop.api.call(method, path, json);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  /** Performs an action on a person's phone. */
  async on(phone: string, path: string, json: unknown = {}): Promise<any> {
    const { status, body } = await this.network.call("POST", `/phones/${phone}/${path}`, json);
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return body;
  }

  async send(phone: string, json: object): Promise<string> {
    return (await this.on(phone, "send", json)).message_id;
  }

  /** The data of the first matching event of this type. */
  async delivered(type: string, what: string, fits?: Fits): Promise<any> {
    return (await this.events.delivered(type, what, fits)).data;
  }

  /** Like `delivered`, for one message. */
  deliveredFor(type: string, id: string, fits: Fits = () => true): Promise<any> {
    return this.delivered(type, id, (data) => data.message_id === id && fits(data));
  }
}
