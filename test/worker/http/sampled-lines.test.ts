// Log lines written by the worker and an object while routine lines are sampled.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { createApp } from "#root/src/app.ts";
import type { Env } from "#root/src/env.ts";
import { never } from "#root/src/http/response-headers.ts";
import { connection, freezeTime, received, respond500, withWebhook } from "../delivery/delivery-connection.ts";
import { APP, freshKey, scriptedConnections } from "../support/gateway.ts";
import { fail } from "@gateway/protocol/failures.ts";

afterEach(() => vi.useRealTimers());

async function linesOf(LOG_SAMPLE: string, answer: Parameters<typeof scriptedConnections>[0]): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const app = createApp({ plainHttpAllowed: never, writeLine: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
  const bindings = { ...env, ...scriptedConnections(answer), LOG_SAMPLE } as unknown as Env;
  const { key } = freshKey();
  await app.fetch(new Request(`${APP}/api/v1/groups`, { headers: { "x-api-key": key } }), bindings, createExecutionContext());
  return lines;
}

it("a successful or refused request is sampled", async () => {
  const refused = () => fail("instance_not_connected");
  expect(await linesOf("0", refused)).toEqual([]);
  const [line] = await linesOf("1", refused);
  expect(line).toMatchObject({ event: "request", code: "instance_not_connected" });
  expect(line).not.toHaveProperty("sample");
});

it("a failed request is always logged", async () => {
  expect(await linesOf("0", () => fail("internal_error"))).toMatchObject([{ event: "request", status: 500 }]);
});

it("a successful attempt is sampled, a failed one is always logged", async () => {
  freezeTime();
  const receiver = connection();
  await withWebhook(receiver);
  await receiver.emit(received());
  expect([receiver.outside.lines.length, receiver.outside.routineLines]).toEqual([1, 1]);
  receiver.outside.answer = respond500;
  await receiver.emit(received());
  expect([receiver.outside.lines.length, receiver.outside.routineLines]).toEqual([2, 1]);
});
