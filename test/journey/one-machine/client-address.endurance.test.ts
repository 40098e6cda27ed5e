// Clients that try to have their invalid keys counted against another address.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LIMITS } from "@gateway/domain/limits.ts";
import { type ServedGateway, startServedGateway } from "../../support/one-machine/served-gateway.ts";

let gateway: ServedGateway;
beforeEach(async () => {
  gateway = await startServedGateway({ TRUSTED_PROXIES: "127.0.0.1, ::1, 10.0.0.0/8", BACKUP_TIME: "off" });
});
afterEach(() => gateway.dispose());

/** `headers`: names and values in turn. Node's `request` sends them unchanged, including repeated ones. */
function statusOf(port: string | number, headers: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({
      host: "127.0.0.1",
      port,
      path: "/api/v1/instance",
      setHost: false,
      headers: ["Host", `localhost:${port}`, ...headers],
    });
    call.on("response", (answer) => answer.resume().on("end", () => resolve(answer.statusCode ?? 0)));
    call.on("error", reject);
    call.end();
  });
}

const CLIENT = "203.0.113.9";
const VICTIM = "198.51.100.1";

/** Requests through the proxy on this machine, which appends the client's address. */
const ATTEMPTS: Readonly<Record<string, string[]>> = {
  "CF-Connecting-IP": ["CF-Connecting-IP", VICTIM, "X-Forwarded-For", CLIENT],
  "CF-Connecting-IP, twice": ["CF-Connecting-IP", VICTIM, "cf-connecting-ip", VICTIM, "X-Forwarded-For", CLIENT],
  "other CF headers": ["CF-Connecting-IPv6", "2001:db8::1", "CF-Pseudo-IPv4", VICTIM, "X-Forwarded-For", CLIENT],
  "True-Client-IP and X-Real-IP": ["True-Client-IP", VICTIM, "X-Real-IP", VICTIM, "X-Forwarded-For", CLIENT],
  Forwarded: ["Forwarded", `for=${VICTIM}`, "X-Forwarded-For", CLIENT],
  "a chain": ["X-Forwarded-For", `${VICTIM}, ${CLIENT}`],
  "a chain with a trusted proxy in it": ["X-Forwarded-For", `${VICTIM}, 10.1.2.3, ${CLIENT}`],
  "a header of its own": ["X-Forwarded-For", VICTIM, "X-Forwarded-For", CLIENT],
  "a chain of two trusted proxies": ["X-Forwarded-For", `${VICTIM}, ${CLIENT}, 10.1.2.3`],
  "another spelling of its address": ["X-Forwarded-For", `${VICTIM}, ::ffff:${CLIENT}`],
  "its address as hex": ["X-Forwarded-For", `${VICTIM}, ::ffff:cb00:7109`],
  "a port": ["X-Forwarded-For", `${VICTIM}, ${CLIENT}:443`],
  "the front's own header": ["X-Gateway-Front", "guessed", "X-Gateway-Scheme", "https", "X-Forwarded-For", CLIENT],
};

it("every attempt counts against the client itself", async () => {
  const port = new URL(gateway.url).port;
  const limit = LIMITS.invalidKeys.failures;
  const attempts = Object.values(ATTEMPTS);
  const statuses: number[] = [];
  for (let n = 0; n <= limit; n++) statuses.push(await statusOf(port, [...(attempts[n % attempts.length] ?? []), "X-API-Key", "wrong"]));
  expect(statuses).toEqual([...Array.from({ length: limit }, () => 401), 429]);
  for (const [what, headers] of Object.entries(ATTEMPTS))
    expect([what, await statusOf(port, [...headers, "X-API-Key", "wrong"])]).toEqual([what, 429]);
  expect(await statusOf(port, ["X-Forwarded-For", VICTIM, "X-API-Key", "wrong"]), "nothing was counted against the victim").toBe(401);
});

it("an attempt of a local user, who reaches the worker's own port, counts against this machine", async () => {
  const { processes } = JSON.parse(
    gateway
      .output()
      .split("\n")
      .find((line) => line.includes('"event":"host.ready"')) ?? "",
  ) as {
    processes: { worker: number };
  };
  const environment = readFileSync(`/proc/${processes.worker}/environ`, "utf8").split("\0");
  const { port } = JSON.parse(environment.find((line) => line.startsWith("WORKER_HOST="))?.slice("WORKER_HOST=".length) ?? "") as {
    port: number;
  };
  const statuses: number[] = [];
  for (let n = 0; n <= LIMITS.invalidKeys.failures; n++)
    statuses.push(await statusOf(port, ["CF-Connecting-IP", `198.51.100.${n}`, "X-Gateway-Front", "guessed", "X-API-Key", "wrong"]));
  expect(statuses.at(-1)).toBe(429);
});
