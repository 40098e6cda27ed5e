import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { renderUnicodeCompact } from "uqr";
import { connectionEvents, callJson, CallFailed } from "./http.ts";
import type { Processes } from "./processes.ts";
import type { DemoCloud, Ready, StateDirectory } from "./state-directory.ts";
import { writeAtomically } from "#root/server/files.ts";

/** Sets explicit colors, because a QR code's dark modules must be dark in any color scheme. */
const WHITE_ON_BLACK = "\u001B[97;40m";
const NORMAL = "\u001B[0m";

const HINTS: Readonly<Record<string, string>> = {
  qr_timeout: "Nobody scanned it. For new codes: POST /api/v1/instance/connect with the key above.",
  passkey_wanted:
    "The account requires its passkey. GET /api/v1/instance/passkey returns the request for the browser (docs/operate/operations.md).",
  passkey_timeout: "The passkey was not used in time. For new codes: POST /api/v1/instance/connect with the key above.",
  reconnecting: "WhatsApp is unreachable. Trying again …",
};

type TerminalPairing = {
  appUrl: string;
  id: number;
  token: string;
  print: (text: string) => void;
};

/** Resolves once the number is connected. Does nothing if the connection already has a number. */
export async function pairInTerminal({ appUrl, id, token, print }: TerminalPairing): Promise<void> {
  const path = `${appUrl}/api/dashboard/connections/${id}`;
  const { data } = await callJson<{ data: { status: string; phone: string | null } }>(path, { token });
  if (data.status === "disconnected" && data.phone === null) await callJson(`${path}/connect`, { method: "POST", token });
  let lastHint = "";
  for await (const { event, data } of connectionEvents(appUrl, id, token)) {
    if (event === "qr" && data.raw !== undefined) print(`\n${renderQr(data.raw)}\n`);
    if (event !== "status") continue;
    if (data.status === "connected") return print(`\nConnected as ${data.phone ?? "an unknown number"}.\n`);
    const hint = HINTS[data.status_reason ?? ""];
    if (hint !== undefined && hint !== lastHint) print(`\n${hint}\n`);
    lastHint = hint ?? lastHint;
  }
}

function renderQr(qr: string): string {
  return renderUnicodeCompact(qr, { ecc: "L", border: 2 })
    .split("\n")
    .map((line) => WHITE_ON_BLACK + line + NORMAL)
    .join("\n");
}

const RETRY_INTERVAL_MS = 250;
const ADMIN_EMAIL = "admin@example.com";
const DEMO_EMAIL = "demo@example.com";
const NUMBER = { phone: "5511900000001", name: "Demo" };
const CLOUD = { phone: "5511900000090", name: "Cloud" };
const CONTACT = { phone: "5511900000002", name: "Eco" };

/** The response of `POST /sandbox/setup`, stored because keys are shown only once. */
type Setup = { api_key: string; connection: { id: number; instance_id: string; name: string; api_key: string } };

type Instance = { id: string; cloud_api: { phone_number_id: string } | null };

export class Demo {
  readonly #processes: Processes;
  readonly #directory: StateDirectory;
  readonly #live: boolean;
  readonly #created = new Set<string>();

  constructor(processes: Processes, directory: StateDirectory, live: boolean) {
    this.#processes = processes;
    this.#directory = directory;
    this.#live = live;
  }

  /** Resolves when the demo number is connected (with `--live`, when it exists). Retries calls that fail because of a restart. */
  async prepare(print: (text: string) => void): Promise<Omit<Ready, "processes">> {
    for (;;) {
      try {
        return await this.#prepared(print);
      } catch (error) {
        if (!(error instanceof CallFailed && error.mayPass)) throw error;
        await pause(RETRY_INTERVAL_MS);
      }
    }
  }

  async #prepared(print: (text: string) => void): Promise<Omit<Ready, "processes">> {
    const { ADMIN_PASSWORD, DEMO_PASSWORD } = this.#directory.secrets();
    const setup = await this.#setup();
    const issuer = process.env["IDENTITY_ISSUER"] ?? "";
    if (issuer !== "") print(`${issuer} signs people in here, so the demo number is left as it is`);
    else if (!this.#live) await this.#connect(setup.connection.id, print);
    const cloud = this.#live || issuer !== "" ? null : await this.#cloud();
    const { appUrl, networkUrl, graphUrl } = this.#processes;
    return {
      app_url: appUrl,
      base_url: appUrl,
      dashboard_url: `${appUrl}/`,
      network_url: networkUrl,
      graph_url: graphUrl,
      admin: { email: ADMIN_EMAIL, password: ADMIN_PASSWORD },
      demo: {
        email: DEMO_EMAIL,
        password: DEMO_PASSWORD,
        api_key: setup.api_key,
        connection: {
          id: setup.connection.id,
          instance_id: setup.connection.instance_id,
          name: setup.connection.name,
          phone: this.#live ? null : NUMBER.phone,
          api_key: setup.connection.api_key,
        },
        contact: this.#live ? null : CONTACT,
        cloud,
      },
    };
  }

  async #cloud(): Promise<DemoCloud> {
    const { appUrl, networkUrl } = this.#processes;
    const file = join(this.#directory.path, "demo-cloud.json");
    const stored = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DemoCloud) : null;
    if (stored !== null && (await this.#isValidKey(stored.api_key))) return stored;
    const { app_id: _, ...cloud_api } = await callJson<
      Record<"phone_number_id" | "waba_id" | "app_id" | "access_token" | "app_secret", string>
    >(`${networkUrl ?? ""}/cloud/numbers`, { body: CLOUD });
    const token = await this.#token();
    const instances = `${appUrl}/api/instances`;
    const { data: known } = await callJson<{ data: Instance[] }>(`${instances}?kind=cloud_api`, { token });
    // An earlier start may have created this instance but ended before storing it.
    const found = known.find((instance) => instance.cloud_api?.phone_number_id === cloud_api.phone_number_id);
    const made =
      found ?? (await callJson<{ data: Instance }>(instances, { token, body: { name: CLOUD.name, kind: "cloud_api", cloud_api } })).data;
    const connections = `${appUrl}/api/dashboard/connections`;
    const { data: listed } = await callJson<{ data: { id: number; instance_id: string }[] }>(`${connections}?limit=100`, { token });
    const id = listed.find(({ instance_id }) => instance_id === made.id)?.id ?? 0;
    const { data: key } = await callJson<{ data: { key: string } }>(`${connections}/${id}/keys`, { token, body: { name: "Sandbox" } });
    const cloud = { id, instance_id: made.id, ...CLOUD, api_key: key.key, phone_number_id: cloud_api.phone_number_id };
    writeAtomically(file, JSON.stringify(cloud));
    return cloud;
  }

  async pairInTerminal(print: (text: string) => void): Promise<void> {
    const { connection } = await this.#setup();
    await pairInTerminal({ appUrl: this.#processes.appUrl, id: connection.id, token: await this.#token(), print });
  }

  async #setup(): Promise<Setup> {
    const file = join(this.#directory.path, "demo.json");
    const stored = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Setup) : null;
    if (stored !== null && (await this.#isValidKey(stored.connection.api_key))) return stored;
    const { ADMIN_PASSWORD, DEMO_PASSWORD } = this.#directory.secrets();
    const { data } = await callJson<{ data: Setup }>(`${this.#processes.appUrl}/sandbox/setup`, {
      body: {
        admin: { email: ADMIN_EMAIL, password: ADMIN_PASSWORD },
        demo: { email: DEMO_EMAIL, password: DEMO_PASSWORD, connection: NUMBER.name },
      },
    });
    writeAtomically(file, JSON.stringify(data));
    return data;
  }

  /** Returns false if the user revoked the key or deleted the connection. */
  async #isValidKey(key: string): Promise<boolean> {
    try {
      await callJson(`${this.#processes.appUrl}/api/v1/instance`, { token: key });
      return true;
    } catch (error) {
      if (error instanceof CallFailed && !error.mayPass) return error.status !== 401;
      throw error;
    }
  }

  /** Pairs with the simulated phone, using the real protocol. */
  async #connect(id: number, print: (text: string) => void): Promise<void> {
    const token = await this.#token();
    const network = this.#processes.networkUrl ?? "";
    await this.#phone(CONTACT, { receipts: "read", reply: "echo" });
    await this.#phone(NUMBER, {});
    const path = `${this.#processes.appUrl}/api/dashboard/connections/${id}`;
    const { data } = await callJson<{ data: { status: string } }>(path, { token });
    if (data.status === "disconnected") await callJson(`${path}/connect`, { method: "POST", token });
    let scanned = "";
    for await (const { event, data } of connectionEvents(this.#processes.appUrl, id, token)) {
      if (event === "status" && data.status === "connected") return;
      // All codes of this round expired before one was scanned, so this starts another round.
      if (event === "status" && data.status === "disconnected" && data.status_reason === "qr_timeout")
        await callJson(`${path}/connect`, { method: "POST", token });
      if (event !== "qr" || data.raw === undefined || data.raw === scanned) continue;
      scanned = data.raw;
      try {
        await callJson(`${network}/phones/${NUMBER.phone}/scan`, { body: { qr: data.raw } });
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error;
        // On a slow machine, a code may already have expired. The next one follows within seconds.
        print(`the demo number's code was not taken (${error.message}); waiting for the next one`);
      }
    }
  }

  async #phone(person: { phone: string; name: string }, settings: Record<string, unknown>): Promise<void> {
    const network = this.#processes.networkUrl ?? "";
    try {
      await callJson(`${network}/phones`, { body: person });
      this.#created.add(person.phone);
    } catch (error) {
      if (!(error instanceof CallFailed && error.status === 409)) throw error;
      if (!this.#created.has(person.phone)) return;
    }
    if (Object.keys(settings).length > 0) await callJson(`${network}/phones/${person.phone}`, { method: "PATCH", body: settings });
  }

  async #token(): Promise<string> {
    const { access_token } = await callJson<{ access_token: string }>(`${this.#processes.appUrl}/sandbox/token`, {
      body: { email: DEMO_EMAIL },
    });
    return access_token;
  }
}
