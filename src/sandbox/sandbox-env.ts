// The bindings as the sandbox's worker and objects see them: mail is kept where `GET /sandbox/mail` finds it.
import type { Env } from "../env.ts";
import { keptMail } from "./kept-mail.ts";

const made = new WeakMap<Env, Env>();

export function sandboxEnv(env: Env): Env {
  const known = made.get(env);
  if (known !== undefined) return known;
  const changed = { ...env, MAIL: keptMail(env.DB) };
  made.set(env, changed);
  return changed;
}

/** `npm start` sets these (src/sandbox/host/parts.ts); no production setting has their names. */
export type SandboxVars = { SANDBOX_STRICT?: string; SANDBOX_NO_LIMITS?: string };

export function sandboxFlags(env: Env): { strict: boolean; noLimits: boolean } {
  const vars: SandboxVars = env as SandboxVars;
  return { strict: vars.SANDBOX_STRICT === "true", noLimits: vars.SANDBOX_NO_LIMITS === "true" };
}
