// One rule for every name and email address that a user can enter, on both APIs and at sign-in.
import { expect, it } from "vitest";
import * as z from "zod";
import { ROUTES } from "#root/src/api/account/routes.ts";
import { CONTRACT } from "#root/src/api/dashboard/contract/contract.ts";
import type { ContractRow } from "#root/src/api/dashboard/contract/common.ts";
import { IDENTITY_ROUTES } from "#root/src/api/dashboard/auth-routes.ts";
import { nameFromIssuer } from "@gateway/domain/people/names-and-emails.ts";
import { addressIn } from "#root/src/services/identity/verify-bearer.ts";

const NAMES = ["name", "label", "plan", "description"];
const BAD_NAMES = ["a\u0000b", "a\rb", "a\nBcc: x@example.com", "a\u001Bb", "a\u202Eb", "a\u2066b", "a\u200Fb", "a\u2028b", "a\uD800b"];
const GOOD_NAMES = ["Ana", "Ação & Cia. – São Paulo", "家族", "👨‍👩‍👧 Loja", "שלום"];
const BAD_ADDRESSES = [`${"a".repeat(60_000)}@example.com`, `a@${"b.".repeat(130)}example.com`, "a\r\nBcc: b@example.com", "a", ""];

/** Names visible to other people on the network follow the network's rules. */
const isOfTheNetwork = (path: string) => /\/(instances\/\{instanceId\}|connections\/\{id\})\/(?!keys|pairing-links|shares)/.test(path);

/** This route only compares the address with the account's own. */
const COMPARED = "post /me/delete";

type Body = { route: string; body: z.ZodType | null | undefined };
const contract: Record<string, ContractRow> = CONTRACT;
const bodies: Body[] = [
  ...ROUTES.map(({ method, path, body }) => ({ route: `${method} ${path}`, body })),
  ...Object.entries(contract).map(([route, { body }]) => ({ route: `dashboard ${route}`, body: body instanceof z.ZodType ? body : null })),
  ...IDENTITY_ROUTES.map(({ path, body }) => ({ route: `auth ${path}`, body })),
].filter(({ route }) => !isOfTheNetwork(route) && route !== COMPARED);

const fieldsOf = (names: readonly string[]) =>
  bodies.flatMap(({ route, body }) => {
    const shape: Record<string, z.ZodType> = body !== null && body !== undefined && "shape" in body ? (body.shape as never) : {};
    return Object.keys(shape)
      .filter((field) => names.includes(field))
      .map((field) => [route, field, body as z.ZodType] as const);
  });

const isRefused = (body: z.ZodType, field: string, value: string) =>
  body.safeParse({ [field]: value }).error?.issues.some(({ path }) => path[0] === field) ?? false;

it("the schemas contain more than 14 name fields and 5 address fields to check", () => {
  expect(fieldsOf(NAMES).length).toBeGreaterThan(14);
  expect(fieldsOf(["email"]).length).toBeGreaterThan(5);
});

it.each(fieldsOf(NAMES))("no field accepts a name with control characters: %s %s", (_route, field, body) => {
  // Compares JSON, which escapes a lone surrogate.
  expect(BAD_NAMES.filter((name) => !isRefused(body, field, name)).map((name) => JSON.stringify(name))).toEqual([]);
  expect(GOOD_NAMES.filter((name) => isRefused(body, field, name))).toEqual([]);
});

it.each(fieldsOf(["email"]))("no field accepts an invalid address: %s %s", (_route, field, body) => {
  expect(BAD_ADDRESSES.filter((address) => !isRefused(body, field, address))).toEqual([]);
  expect(isRefused(body, field, "ana@example.com")).toBe(false);
});

it("sign-in derives valid names and addresses from an issuer's claims, or none", () => {
  for (const email of [...BAD_ADDRESSES, ["ana@example.com"], 5, undefined])
    expect(addressIn({ email, email_verified: true })).toEqual({ email: null, emailVerified: false });
  expect(addressIn({ email: " ana@example.com", email_verified: "true" })).toEqual({ email: "ana@example.com", emailVerified: false });
  expect(BAD_NAMES.map(nameFromIssuer)).toEqual(["ab", "ab", "aBcc: x@example.com", "ab", "ab", "ab", "ab", "ab", "ab"]);
  expect(nameFromIssuer("👨‍👩‍👧".repeat(50_000))?.length).toBeLessThan(121);
  for (const none of ["\u0000\n", " ", ["Ana"], undefined]) expect(nameFromIssuer(none)).toBeNull();
});
