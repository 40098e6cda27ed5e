// The people and numbers a new sandbox has: an admin, a demo user with one paired number, and a contact that echoes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callJson, CallFailed, until } from "./http.ts";
import type { Parts } from "./parts.ts";
import type { Ready } from "./ready.ts";
import { pairInTerminal } from "./terminal-pairing.ts";
import { type StateDirectory, writeAtomically } from "./state-directory.ts";

const ADMIN_EMAIL = "admin@example.com";
const DEMO_EMAIL = "demo@example.com";
const NUMBER = { phone: "5511900000001", name: "Demo" };
const CONTACT = { phone: "5511900000002", name: "Eco" };
const CONNECTED_WITHIN_MS = 30_000;

/** What `POST /sandbox/setup` answers; keys are shown once, so the first answer is kept in the state directory. */
type Setup = { api_key: string; connection: { id: number; instance_id: string; name: string; api_key: string } };

export class Demo {
  readonly #parts: Parts;
  readonly #directory: StateDirectory;
  readonly #live: boolean;

  constructor(parts: Parts, directory: StateDirectory, live: boolean) {
    this.#parts = parts;
    this.#directory = directory;
    this.#live = live;
  }

  /** Makes what is missing of it and resolves when the demo number is connected (with `--live`: when it exists). */
  async prepare(): Promise<Omit<Ready, "processes">> {
    const { ADMIN_PASSWORD, DEMO_PASSWORD } = this.#directory.secrets;
    const setup = await this.#setup();
    if (!this.#live) await this.#connect(setup.connection.id);
    const { appUrl, networkUrl } = this.#parts;
    return {
      app_url: appUrl,
      base_url: appUrl,
      dashboard_url: `${appUrl}/`,
      network_url: networkUrl,
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
      },
    };
  }

  /** With `--live`: shows the QR until the owner's phone has scanned it. */
  async pairInTerminal(say: (text: string) => void): Promise<void> {
    const { connection } = await this.#setup();
    await pairInTerminal({ appUrl: this.#parts.appUrl, id: connection.id, token: await this.#token(), say });
  }

  async #setup(): Promise<Setup> {
    const file = join(this.#directory.path, "demo.json");
    const kept = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Setup) : null;
    if (kept !== null && (await this.#opens(kept.connection.api_key))) return kept;
    const { ADMIN_PASSWORD, DEMO_PASSWORD } = this.#directory.secrets;
    const { data } = await callJson<{ data: Setup }>(`${this.#parts.appUrl}/sandbox/setup`, {
      body: {
        admin: { email: ADMIN_EMAIL, password: ADMIN_PASSWORD },
        demo: { email: DEMO_EMAIL, password: DEMO_PASSWORD, connection: NUMBER.name },
      },
    });
    writeAtomically(file, JSON.stringify(data));
    return data;
  }

  /** Not when its user has revoked the key or deleted the connection: then there is a new one. */
  async #opens(key: string): Promise<boolean> {
    const answer = await fetch(`${this.#parts.appUrl}/api/v1/instance`, { headers: { "x-api-key": key } });
    await answer.body?.cancel();
    return answer.status !== 401;
  }

  /** Pairs the demo number with its simulated phone, over the real protocol, unless it is paired already. */
  async #connect(id: number): Promise<void> {
    const token = await this.#token();
    const network = this.#parts.networkUrl ?? "";
    await this.#phone(CONTACT, { receipts: "read", reply: "echo" });
    await this.#phone(NUMBER, {});
    const path = `${this.#parts.appUrl}/api/dashboard/connections/${id}`;
    const status = async () => (await callJson<{ data: { status: string } }>(path, { token })).data.status;
    if ((await status()) === "disconnected") await callJson(`${path}/connect`, { method: "POST", token });
    let scanned = "";
    await until("connecting the demo number", CONNECTED_WITHIN_MS, async () => {
      const now = await status();
      if (now === "connected") return now;
      if (now !== "scan_qr") return null;
      const { data } = await callJson<{ data: { raw: string } }>(`${path}/qr`, { token });
      if (data.raw === scanned) return null;
      scanned = data.raw;
      await callJson(`${network}/phones/${NUMBER.phone}/scan`, { body: { qr: data.raw } });
      return null;
    });
  }

  async #phone(person: { phone: string; name: string }, settings: Record<string, unknown>): Promise<void> {
    const network = this.#parts.networkUrl ?? "";
    try {
      await callJson(`${network}/phones`, { body: person });
    } catch (error) {
      // It is there from an earlier start, with the settings its user gave it since.
      if (error instanceof CallFailed && error.status === 409) return;
      throw error;
    }
    if (Object.keys(settings).length > 0) await callJson(`${network}/phones/${person.phone}`, { method: "PATCH", body: settings });
  }

  async #token(): Promise<string> {
    const { access_token } = await callJson<{ access_token: string }>(`${this.#parts.appUrl}/sandbox/token`, {
      body: { email: DEMO_EMAIL },
    });
    return access_token;
  }
}
