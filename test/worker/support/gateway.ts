// The production app in workerd, called without a socket.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "#root/src/app.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { makeKey } from "@gateway/domain/keys/api-key.ts";
import { never } from "#root/src/http/response-headers.ts";
import type { AccountEndpoint, Call, CallResult, ConnectionRecord } from "@gateway/protocol/connection.ts";
import type { InstanceRecord } from "@gateway/protocol/records.ts";
import { checkDashboardAnswer } from "./dashboard-answers.ts";
import { checkDocumented } from "./documented-answers.ts";
import { STATIC_FILES } from "./static-files.ts";

export const APP = "https://app.example.com";

const app = createApp({ plainHttpAllowed: never });

export type Asked = (path: string, init?: RequestInit) => Promise<Response>;

/** The app with some bindings replaced. Relative paths use its own HTTPS address. */
export function gateway(bindings: Partial<Env> = {}): Asked {
  const all = { ASSETS: STATIC_FILES, ...env, ...bindings } as Env;
  return async (path, init) => {
    const request = new Request(path.startsWith("http") ? path : APP + path, init);
    const answer = await app.fetch(request, all, createExecutionContext());
    await checkDashboardAnswer(request, answer);
    // A scripted object may give answers that its route never would.
    if (bindings.CONNECTION === undefined) await checkDocumented(request, answer);
    return answer;
  };
}

export type ScriptedConnections = {
  CONNECTION: Env["CONNECTION"];
  calls: Call[];
  names: string[];
  /** Records pushed to the objects, in order. */
  records: ConnectionRecord[];
  /** Account endpoints pushed to the objects, in order. */
  endpointPushes: { name: string; endpoints: AccountEndpoint[]; revision: number }[];
  /** Names of wiped objects. */
  wiped: string[];
};

/** A Connection namespace whose objects answer from a script and record calls. */
export function scriptedConnections(script: (call: Call) => CallResult | Promise<CallResult>): ScriptedConnections {
  const [calls, names, records, wiped]: [Call[], string[], ConnectionRecord[], string[]] = [[], [], [], []];
  const endpointPushes: ScriptedConnections["endpointPushes"] = [];
  const CONNECTION = {
    getByName: (name: string) => {
      names.push(name);
      return {
        perform: async (call: Call) => {
          calls.push(call);
          return script(call);
        },
        screen: async () => null,
        configure: async (record: ConnectionRecord) => void records.push(record),
        accountEndpointsChanged: async (endpoints: AccountEndpoint[], revision: number) =>
          void endpointPushes.push({ name, endpoints, revision }),
        wipe: async () => void wiped.push(name),
      };
    },
  } as unknown as Env["CONNECTION"];
  return { CONNECTION, calls, names, records, endpointPushes, wiped };
}

/** A genuine key, with its connection's UUID. */
export function freshKey(): { key: string; connection: string; hash: string } {
  const connection = crypto.randomUUID();
  const made = makeKey(settingsOf(env as Env).KEY_SECRET, connection, crypto.getRandomValues(new Uint8Array(15)));
  return { key: made.key, connection, hash: made.hash };
}

/** A unique address per test, because guards remember addresses. */
export function freshAddress(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(3));
  return `10.${bytes.join(".")}`;
}

export type ErrorBody = { error: { codigo: string; mensagem: string; detalhes?: unknown } };

export type EnglishError = { error: { code: string; message: string; details?: unknown }; request_id: string };

/** The state that every object reports for its record. */
export function instanceOf(record: Pick<ConnectionRecord, "id" | "uuid" | "owner_id" | "name" | "kind">): InstanceRecord {
  return {
    ...record,
    phone: null,
    last_phone: null,
    status: "disconnected",
    status_reason: "created",
    status_changed_at: 1_700_000_000_000,
    profile_name: null,
    platform: null,
    is_business: null,
    restriction: null,
    ban: null,
    new_chat_quota: null,
    qr_expires_at: null,
    reconnect: null,
    last_connected_at: null,
    last_disconnected_at: null,
    last_inbound_at: null,
    subscription: null,
  };
}
