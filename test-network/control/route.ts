import * as z from "zod";
import type { CloudNetwork } from "../cloud/cloud-network.ts";
import type { TestNetwork } from "../network.ts";
import type { Phones } from "../phone/phones.ts";
import { refused, type Outcome, type Refusal } from "../phone/refusal.ts";
import type { SimulatedPhone } from "../phone/simulated-phone.ts";

export type ControlDependencies = {
  network: TestNetwork;
  phones: Phones;
  cloud: CloudNetwork;
  addresses: NetworkAddresses;
};

/** The addresses and keys that a client needs to connect. The ready file uses the same names. */
export type NetworkAddresses = {
  ws_url: string;
  media_host: string;
  root_public_key: string;
  ca_pem: string;
};

export type Call<B> = ControlDependencies & {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: B;
};

export type Answer = {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
};
export type Reply = Answer | Refusal;

export type Route = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  body: z.ZodType;
  run(call: Call<unknown>): Reply | Promise<Reply>;
};

export const NOTHING = z.unknown();

export function route<S extends z.ZodType>(
  method: Route["method"],
  path: string,
  body: S,
  run: (call: Call<z.output<S>>) => Reply | Promise<Reply>,
): Route {
  // The cast is safe, because the server first parses the body with this schema.
  return { method, path, body, run: (call) => run(call as Call<z.output<S>>) };
}

export function phoneRoute<S extends z.ZodType>(
  method: Route["method"],
  path: string,
  body: S,
  run: (phone: SimulatedPhone, call: Call<z.output<S>>) => Reply | Promise<Reply>,
): Route {
  return route(method, `/phones/:phone${path}`, body, (call) => {
    const phone = call.phones.get(call.params["phone"] ?? "");
    return phone ? run(phone, call) : refused(404, "unknown_phone", "there is no simulated phone with this number");
  });
}

export function ok(body: unknown, status = 200): Answer {
  return { status, body };
}

/** Keeps the type only if browsers display it without executing it. Other files are downloaded. */
export function fileAnswer(bytes: Uint8Array, mimetype: string, filename: string | null = null): Answer {
  if (SHOWABLE.test(mimetype)) return { status: 200, body: bytes, headers: { "content-type": mimetype } };
  const name = encodeURIComponent(filename ?? "file");
  return { status: 200, body: bytes, headers: { ...BYTES, "content-disposition": `attachment; filename*=UTF-8''${name}` } };
}

const BYTES = { "content-type": "application/octet-stream" };
const SHOWABLE = /^(image\/(png|jpeg|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+)(; ?codecs=[\w"., +-]+)?$/;

export function list(data: unknown): Answer {
  return ok({ data });
}

/** Responds with the outcome's value, or with `{ ok: true }` if there is none. */
export function answer<T>(outcome: Outcome<T>, body: (value: T) => unknown = (value) => value): Reply {
  if (!outcome.ok) return outcome;
  return ok(outcome.value === true ? { ok: true } : body(outcome.value));
}
