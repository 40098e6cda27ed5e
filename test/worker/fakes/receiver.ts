// The customer's server: receives every delivery.
import { vi } from "vitest";
import { checkBody } from "../support/bodies.ts";
import type { TestConnection } from "./connection.ts";

export type Delivered = { type: string; data: Record<string, unknown> };

export class Receiver {
  readonly deliveries: Delivered[] = [];
  readonly #wanted: { fits: (delivered: Delivered) => boolean; resolve: (delivered: Delivered) => void }[] = [];

  /** Subscribes to every event of the connection. */
  static async of(connection: TestConnection): Promise<Receiver> {
    const receiver = new Receiver();
    const url = `https://hooks.example.net/${connection.uuid}`;
    const fetch = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (input !== url) return fetch(input, init);
      const body = new TextDecoder().decode(init?.body as Uint8Array);
      checkBody(body);
      receiver.#onDelivery(JSON.parse(body) as Delivered);
      return new Response(null, { status: 200 });
    });
    const put = await connection.ask("webhook.put", { url, events: null });
    if (!put.ok) throw new Error(put.code);
    return receiver;
  }

  /** The first unread event of this type, now or later. */
  next(type: string): Promise<Delivered> {
    const found = this.deliveries.find((delivered) => delivered.type === type);
    if (found !== undefined) {
      this.deliveries.splice(this.deliveries.indexOf(found), 1);
      return Promise.resolve(found);
    }
    return new Promise((resolve) => this.#wanted.push({ fits: (delivered) => delivered.type === type, resolve }));
  }

  #onDelivery(delivered: Delivered): void {
    const at = this.#wanted.findIndex(({ fits }) => fits(delivered));
    if (at < 0) this.deliveries.push(delivered);
    else this.#wanted.splice(at, 1)[0]?.resolve(delivered);
  }
}
