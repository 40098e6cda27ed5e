// Consumes Connection API events as a careful customer would: parses each body with its strict schema, and verifies each signature twice.
import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { CONNECTION_EVENT_TYPES } from "#root/src/api/events/connection/events.ts";
import { connectionEvent } from "./connection-events.ts";
import type { Received, Receiver } from "../receiver.ts";

const WITHIN_MS = 60_000;
const PREFIX = "whsec_";

type Body = { id: string; type: string; created_at: string; instance: { id: number; name: string; phone: string | null }; data: any };

/** Parses one body; throws if the body or its headers violate the contract. */
export function readEvent({ body, headers }: Received, secret: string): Body {
  const { type, id } = JSON.parse(body) as { type: string; id: string };
  const known = CONNECTION_EVENT_TYPES.find((each) => each === type);
  if (known === undefined) throw new Error(`no documented event: ${type}`);
  const read = connectionEvent(known).safeParse(JSON.parse(body));
  if (!read.success) throw new Error(`${read.error.message}\nin ${body}`);
  const [signedId, signedAt] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
  if (signedId !== id) throw new Error(`webhook-id ${signedId} of a body with id ${id}`);
  if (headers["content-type"] !== "application/json") throw new Error(`content-type ${headers["content-type"]}`);
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const mac = createHmac("sha256", key).update(`${signedId}.${signedAt}.${body}`).digest();
  const entries = String(headers["webhook-signature"]).split(" ");
  const fits = (entry: string) => {
    const [version, given] = [entry.slice(0, 3), Buffer.from(entry.slice(3), "base64")];
    return version === "v1," && given.length === mac.length && timingSafeEqual(given, mac);
  };
  if (!entries.some(fits)) throw new Error(`no signature of ${id} fits: ${entries.join(" ")}`);
  return read.data;
}

/** One connection's events at a receiver. */
export class WatchedEvents {
  readonly #receiver: Receiver;
  readonly #secret: string;

  constructor(receiver: Receiver, secret: string) {
    this.#receiver = receiver;
    this.#secret = secret;
  }

  /** Resolves to the first event of this type whose data matches, past or future, parsed and verified. */
  async delivered(type: string, what: string, fits: (data: any) => boolean = () => true): Promise<Body> {
    const received = await this.#receiver.waitFor(`${type}: ${what}`, WITHIN_MS, (body) => body["type"] === type && fits(body["data"]));
    new Webhook(this.#secret).verify(received.body, received.headers as Record<string, string>);
    return readEvent(received, this.#secret);
  }

  /** All events received so far, parsed and verified, in order of arrival. */
  all(): Body[] {
    return this.#receiver.received.map((received) => readEvent(received, this.#secret));
  }
}
