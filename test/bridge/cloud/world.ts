// A network with cloud numbers, simulated phones as contacts, and an app that receives their webhooks.
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SimulatedPhone } from "#root/test-network/phone/simulated-phone.ts";
import { eventually } from "../../support/eventually.ts";
import { freshNumber, openWorld, type World } from "../phones/world.ts";

export type Credentials = {
  phone_number_id: string;
  waba_id: string;
  app_id: string;
  access_token: string;
  app_secret: string;
};

export type Answer = {
  status: number;
  headers: Headers;
  body: any;
};

/** One webhook as received. */
export type Received = {
  raw: string;
  signature: string | undefined;
  body: any;
};

const WAIT_TIMEOUT_MS = 60_000;
export const VERIFY_TOKEN = "the verify token";

/** The app: answers handshakes and records webhooks. `answers` decides its response, 200 by default; null sends none. */
export class App {
  readonly received: Received[] = [];
  readonly handshakes: URLSearchParams[] = [];
  answers: (webhook: Received) => number | null = () => 200;
  url = "";
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      if (request.method === "GET") {
        this.handshakes.push(url.searchParams);
        const isRight = url.searchParams.get("hub.verify_token") === VERIFY_TOKEN;
        return void response.writeHead(isRight ? 200 : 403).end(isRight ? url.searchParams.get("hub.challenge") : "no");
      }
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const raw = Buffer.concat(chunks).toString();
        const signature = request.headers["x-hub-signature-256"]?.toString();
        const webhook = { raw, signature, body: JSON.parse(raw) };
        this.received.push(webhook);
        const status = this.answers(webhook);
        if (status !== null) response.writeHead(status).end("{}");
      });
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** All changes so far, in order of arrival. */
  changes(): Array<{ field: string; value: any }> {
    return this.received.flatMap(({ body }) => body.entry.flatMap((entry: any) => entry.changes));
  }

  messages(): any[] {
    return this.changes().flatMap(({ value }) => value.messages ?? []);
  }

  statuses(wamid?: string): any[] {
    return this.changes()
      .flatMap(({ value }) => value.statuses ?? [])
      .filter(({ id }) => wamid === undefined || id === wamid);
  }

  message(meant: (message: any) => boolean): Promise<any> {
    return eventually("a message at the app", WAIT_TIMEOUT_MS, () => this.messages().find(meant));
  }

  change(meant: (change: { field: string; value: any }) => boolean): Promise<{ field: string; value: any }> {
    return eventually("a change at the app", WAIT_TIMEOUT_MS, () => this.changes().find(meant));
  }

  status(wamid: string, status: string): Promise<any> {
    return eventually(`${status} at the app`, WAIT_TIMEOUT_MS, () => this.statuses(wamid).find((one) => one.status === status));
  }
}

export function isSigned({ raw, signature }: Received, secret: string): boolean {
  return signature === `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`;
}

/** Clients for Graph and the control API. Both addresses are read at each call, because they change with a restart. */
export function clients(addresses: () => { graph: string; control: string }) {
  const call = async (url: string, method: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const isRaw = body instanceof FormData || body instanceof Uint8Array;
    const response = await fetch(url, {
      method,
      headers: { ...(body !== undefined && !isRaw && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: isRaw ? (body as FormData) : JSON.stringify(body) }),
    });
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    const answer = isJson ? await response.json() : Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, body: answer };
  };
  const control = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await call(`${addresses().control}${path}`, method, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  /** Calls Graph as the number's app. */
  const graphOf =
    (number: Credentials) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      call(`${addresses().graph}/v23.0${path}`, method, body, { authorization: `Bearer ${number.access_token}`, ...headers });
  return {
    call,
    control,
    graphOf,
    /** A number whose webhooks go to the app. */
    async connect(app: App, about: { phone: string; name?: string }): Promise<Credentials> {
      const number: Credentials = await control("POST", "/cloud/numbers", { name: "Loja", ...about });
      const graph = graphOf(number);
      await graph("POST", `/${number.waba_id}/subscribed_apps`);
      const callback = { override_callback_uri: app.url, verify_token: VERIFY_TOKEN };
      const set = await graph("POST", `/${number.phone_number_id}`, { webhook_configuration: callback });
      if (set.status !== 200) throw new Error(JSON.stringify(set.body));
      return number;
    },
  };
}

export function text(to: string, body: string, more: object = {}): object {
  return { messaging_product: "whatsapp", recipient_type: "individual", to: `+${to}`, type: "text", text: { body }, ...more };
}

/** A world with one number, an app that receives its webhooks, and a contact who has written to it. */
export async function openCloud(): Promise<Cloud> {
  const world = await openWorld();
  const app = await new App().listen();
  const { call, connect, control, graphOf } = clients(() => ({ graph: world.graphUrl, control: world.controlUrl }));
  const phone = freshNumber();
  const number = await connect(app, { phone });
  const contact = async (name: string): Promise<SimulatedPhone> => {
    const made = await world.newPhone(name);
    await made.sendText(phone, `${name} writes first`);
    await app.message(({ text: said }) => said?.body === `${name} writes first`);
    return made;
  };
  const graph = graphOf(number);
  return {
    world,
    app,
    number,
    phone,
    contact,
    ana: await contact("Ana"),
    call,
    control,
    connect,
    graphOf,
    graph,
    send: (body) => graph("POST", `/${number.phone_number_id}/messages`, body),
    fault: (kind, more = {}) => control("POST", "/cloud/faults", { phone_number_id: number.phone_number_id, kind, ...more }),
    async close() {
      await world.close();
      app.close();
    },
  };
}

export type Cloud = ReturnType<typeof clients> & {
  world: World;
  app: App;
  number: Credentials;
  /** The number's phone. */
  phone: string;
  ana: SimulatedPhone;
  contact(name: string): Promise<SimulatedPhone>;
  graph: ReturnType<ReturnType<typeof clients>["graphOf"]>;
  send(body: object): Promise<Answer>;
  fault(kind: string, more?: object): Promise<unknown>;
  close(): Promise<void>;
};
