// Checks API responses against expectations.
import { expect } from "vitest";
import type { Reply } from "./clients.ts";

/** Returns the body of a successful response. */
export async function ok<T = any>(call: Promise<Reply>, expected = 200): Promise<T> {
  const { status, body } = await call;
  expect(status, JSON.stringify(body)).toBe(expected);
  return body as T;
}

/** Expects the Connection API to refuse with this status and code. */
export async function refused(call: Promise<Reply>, status: number, codigo: string): Promise<Reply> {
  const reply = await call;
  expect([reply.status, reply.body.error?.codigo], JSON.stringify(reply.body)).toEqual([status, codigo]);
  return reply;
}

/** For `toMatchObject`: a Connection API refusal with this status and code. */
export const failed = (status: number, codigo: string) => ({
  status,
  body: { error: { codigo, mensagem: expect.any(String) as unknown } },
});
