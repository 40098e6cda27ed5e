import { describe, expect, it } from "vitest";
import {
  bindTicket,
  boundTicket,
  bridgeOfAuthorization,
  isTicketOf,
  makeBridgeCredential,
  makeTicket,
} from "@gateway/domain/keys/bridge-credential.ts";
import { secretsOf } from "./secrets-of.ts";

const [OLD, NEW] = [`1:${"a".repeat(32)}`, `2:${"b".repeat(32)}`];
const old = secretsOf(OLD);
const both = secretsOf(`${NEW} ${OLD}`);
const bridgeOf = (secrets: typeof old, credential: string) => bridgeOfAuthorization(secrets, `Bearer ${credential}`);

describe("a bridge's credential", () => {
  it("proves the bridge's id, dots and digits included", () => {
    for (const id of ["bridge-0", "eu.1", "a.1.b", "_", "x".repeat(100)])
      expect(bridgeOf(old, makeBridgeCredential(old, id))).toEqual({ bridge: id, pool: "default", current: true });
    for (const id of ["", "a b", "a\n", "é", "x".repeat(101)]) expect(() => makeBridgeCredential(old, id)).toThrow("an id of");
  });

  it("names one pool, and is invalid for any other", () => {
    const credential = makeBridgeCredential(old, "eu-1", "weur/1");
    expect(bridgeOf(old, credential)).toEqual({ bridge: "eu-1", pool: "weur/1", current: true });
    expect(bridgeOf(old, credential.replace("weur/1", "weur/2"))).toBeNull();
    expect(bridgeOf(old, credential.replace("@weur/1", ""))).toBeNull();
    expect(bridgeOf(old, makeBridgeCredential(old, "eu-1").replace("eu-1", "eu-1@weur/1"))).toBeNull();
    expect(() => makeBridgeCredential(old, "eu-1", "weur")).toThrow("an id of");
  });

  it("is invalid once its secret is gone, and recognized as old before", () => {
    const credential = makeBridgeCredential(old, "one");
    expect(bridgeOf(both, credential)).toEqual({ bridge: "one", pool: "default", current: false });
    expect(bridgeOf(secretsOf(NEW), credential)).toBeNull();
    expect(bridgeOf(both, makeBridgeCredential(both, "one"))).toEqual({ bridge: "one", pool: "default", current: true });
  });

  it("is refused after any change", () => {
    const credential = makeBridgeCredential(both, "one");
    const [name = "", kid, mac = ""] = credential.split(".");
    const changed = [
      credential.replace("one", "two"),
      `${name}.1.${mac}`,
      `${name}.02.${mac}`,
      `${name}.${kid}.${mac.slice(0, -1)}`,
      `${credential}A`,
      `${name}.${kid}.${mac}.${kid}.${mac}`,
      ...Array.from(mac, (letter, at) => `${name}.${kid}.${mac.slice(0, at)}${letter === "A" ? "B" : "A"}${mac.slice(at + 1)}`),
    ];
    for (const one of changed) expect([one, bridgeOf(both, one)]).toEqual([one, null]);
    for (const header of [null, undefined, "", "Bearer", `Basic ${credential}`, credential, "Bearer constructor"])
      expect(bridgeOfAuthorization(both, header)).toBeNull();
  });
});

describe("a bound ticket", () => {
  it("is valid for its bridge only", () => {
    const bound = bindTicket(old, "00ff", "one");
    expect(boundTicket(both, bound, "one")).toBe("00ff");
    expect(boundTicket(both, bound, "two")).toBeNull();
    expect(boundTicket(secretsOf(NEW), bound, "one")).toBeNull();
    expect(boundTicket(both, "00ff", "one")).toBeNull();
    expect(boundTicket(both, makeBridgeCredential(both, "one"), "one")).toBeNull();
  });
});

describe("a ticket", () => {
  const [mine, theirs] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
  const bound = (connection: string, bridge = "one", secrets = both) =>
    bindTicket(secrets, makeTicket(secrets, "ab12", connection), bridge);

  it("shows which connection's object made it", () => {
    expect(isTicketOf(both, bound(mine), "one", mine)).toBe(true);
    expect(isTicketOf(both, bound(mine, "one", old), "one", mine)).toBe(true);
    for (const [ticket, bridge, connection] of [
      [bound(mine), "one", theirs],
      [bound(mine), "two", mine],
      [bound(mine, "one", secretsOf(`3:${"c".repeat(32)}`)), "one", mine],
      // This ticket is bound to a bridge named like the connection; the connection's object did not create it.
      [bindTicket(both, bindTicket(both, "ab12", mine), "one"), "one", mine],
      [bindTicket(both, "ab12", "one"), "one", mine],
      ["t1", "one", mine],
      ["", "one", mine],
    ] as const)
      expect([ticket, isTicketOf(both, ticket, bridge, connection)]).toEqual([ticket, false]);
  });
});
