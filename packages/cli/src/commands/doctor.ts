// `gateway doctor` checks the connection from this machine to the gateway, step by step.
import { ApiError } from "@gateway/sdk";
import type { Command, Io } from "../command.ts";
import { type Target, targetOf } from "../target.ts";

const MAX_SKEW_S = 60;
const STREAM_MS = 15_000;
/** How long the command waits for its listener's deletion after Ctrl-C. A listener that is not deleted expires by itself. */
const DELETION_MS = 2_000;

type Finding = { ok: boolean; text: string };

export const doctor: Command = {
  usage: "",
  summary: "checks address, clock, key, number and streams",
  flags: {},
  run: async ({ flags }, io) => {
    const target = targetOf(flags, io);
    const checks = [() => reach(target, io), () => number(target, io), () => streams(target, io)];
    for (const check of checks) {
      const findings = await check();
      for (const { ok, text } of findings) io.print(`${ok ? "ok" : "FAILED"}  ${text}`);
      if (findings.some(({ ok }) => !ok)) return 1;
    }
    return 0;
  },
};

async function reach({ baseUrl }: Target, { signal }: Io): Promise<Finding[]> {
  const startedAt = Date.now();
  let response: Response;
  try {
    response = await fetch(new URL("/docs/connection.json", baseUrl), { method: "HEAD", redirect: "manual", signal });
  } catch (error) {
    signal.throwIfAborted();
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return [{ ok: false, text: `${baseUrl} does not answer (${code ?? (error as Error).message})` }];
  }
  const found: Finding[] = [
    { ok: response.status === 200, text: `${baseUrl} answers ${response.status} after ${Date.now() - startedAt} ms` },
  ];
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return found;
  const skew = Math.round((Date.now() - date) / 1000);
  found.push({
    ok: Math.abs(skew) <= MAX_SKEW_S,
    text: `this clock differs by ${skew} s from the gateway's; webhook checks allow 300 s`,
  });
  return found;
}

async function number({ gateway }: Target, { signal }: Io): Promise<Finding[]> {
  try {
    const { name, status, status_reason: reason } = await gateway.instance.get({ signal });
    return [
      { ok: true, text: `the key belongs to the connection "${name}"` },
      { ok: status === "connected", text: `the number is ${status} (${reason})` },
    ];
  } catch (error) {
    if (error instanceof ApiError) return [{ ok: false, text: `the key is refused: ${error.message}` }];
    throw error;
  }
}

/** A proxy that buffers responses holds back even the stream's first line. */
async function streams({ gateway, baseUrl, apiKey }: Target, { signal }: Io): Promise<Finding[]> {
  const { id } = await gateway.listeners.create({ name: "gateway doctor" }, { signal });
  const startedAt = Date.now();
  try {
    const response = await fetch(new URL(`/api/v1/listeners/${id}/events`, baseUrl), {
      headers: { "x-api-key": apiKey },
      signal: AbortSignal.any([signal, AbortSignal.timeout(STREAM_MS)]),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    return [{ ok: response.ok, text: `an event stream begins after ${Date.now() - startedAt} ms` }];
  } catch {
    signal.throwIfAborted();
    return [{ ok: false, text: `an event stream shows nothing within ${STREAM_MS / 1000} s: a proxy in between buffers responses` }];
  } finally {
    await gateway.listeners.delete(id, { signal: AbortSignal.timeout(DELETION_MS) }).catch(() => undefined);
  }
}
