// The production app in workerd, asked without a socket.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createApp } from "../../../src/app.ts";
import type { Env } from "../../../src/env.ts";
import { keySecrets, makeKey } from "../../../src/domain/api-key.ts";
import { nowhere } from "../../../src/http/https-only.ts";
import type { Answer, Call } from "../../../src/protocol/connection.ts";

export const APP = "https://app.example.com";

const app = createApp({ plainHttpAllowed: nowhere });

export type Asked = (path: string, init?: RequestInit) => Promise<Response>;

/** The app with some bindings replaced. Paths are asked on its own HTTPS address unless they are whole URLs. */
export function gateway(bindings: Partial<Env> = {}): Asked {
  const all = { ...env, ...bindings } as Env;
  return async (path, init) => app.fetch(new Request(path.startsWith("http") ? path : APP + path, init), all, createExecutionContext());
}

/** A Connection namespace whose objects answer from a script, and the calls they got. */
export function scriptedConnections(script: (call: Call) => Answer | Promise<Answer>): { CONNECTION: Env["CONNECTION"]; calls: Call[]; names: string[] } {
  const calls: Call[] = [];
  const names: string[] = [];
  const CONNECTION = {
    getByName: (name: string) => {
      names.push(name);
      return {
        perform: async (call: Call) => {
          calls.push(call);
          return script(call);
        },
      };
    },
  } as unknown as Env["CONNECTION"];
  return { CONNECTION, calls, names };
}

/** A genuine key of a connection, and the connection's UUID. */
export function freshKey(): { key: string; connection: string; hash: string } {
  const connection = crypto.randomUUID();
  const made = makeKey(keySecrets(env.KEY_SECRET ?? ""), connection, crypto.getRandomValues(new Uint8Array(15)));
  return { key: made.key, connection, hash: made.hash };
}

/** An address of its own per test: guards remember addresses. */
export function freshAddress(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(3));
  return `10.${bytes.join(".")}`;
}

export type ErrorBody = { error: { codigo: string; mensagem: string; detalhes?: unknown } };
