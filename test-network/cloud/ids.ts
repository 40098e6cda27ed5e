// Ids in Meta's format. Message and group ids encode the phone's own ids, so no table is needed.
import { createHash, randomBytes, randomInt } from "node:crypto";
import { otherSpelling } from "@gateway/protocol/cloud.ts";

export function digits(count: number): string {
  return String(randomInt(1, 10)) + Array.from({ length: count - 1 }, () => randomInt(10)).join("");
}

export function accessToken(): string {
  return `EAA${randomBytes(96).toString("base64url").replace(/[-_]/g, "Z")}`;
}

export function appSecret(): string {
  return randomBytes(16).toString("hex");
}

export function requestId(): string {
  return randomBytes(16).toString("hex").toUpperCase();
}

export function traceId(): string {
  return `A${randomBytes(17).toString("base64url")}`;
}

export function wamidOf(peer: string, messageId: string, direction: "in" | "out"): string {
  const [person, id] = [Buffer.from(peer), Buffer.from(messageId)];
  const middle = [0x15, 0x02, 0x00, direction === "out" ? 0x11 : 0x12, 0x18, id.length];
  return `wamid.${Buffer.concat([Buffer.of(0x1c, 0x18, person.length), person, Buffer.from(middle), id, Buffer.of(0)]).toString("base64")}`;
}

export function messageIdOf(wamid: string): string | null {
  if (!wamid.startsWith("wamid.")) return null;
  const bytes = Buffer.from(wamid.slice("wamid.".length), "base64");
  const start = 3 + (bytes[2] ?? 0) + 6;
  const length = bytes[start - 1] ?? 0;
  const id = bytes.subarray(start, start + length).toString();
  return length > 0 && id.length === length ? id : null;
}

export function groupIdOf(phone: string, group: string): string {
  return Buffer.from(`capi_group:${phone}:${group.replace(/@.*$/, "")}`).toString("base64url");
}

export function groupOf(id: string): { phone: string; group: string } | null {
  const [, phone, group] = /^capi_group:(\d+):([\d-]+)$/.exec(Buffer.from(id, "base64url").toString()) ?? [];
  return phone === undefined || group === undefined ? null : { phone, group: `${group}@g.us` };
}

export function joinRequestIdOf(group: string, phone: string): string {
  return Buffer.from(`${group.replace(/@.*$/, "")}:${phone}`).toString("base64url");
}

export function callIdOf(phone: string, callId: string): string {
  return `wacid.${Buffer.from(`${phone}:${callId}`).toString("base64url")}`;
}

export function phoneCallIdOf(wacid: string): string | null {
  return /^\d+:(.+)$/.exec(Buffer.from(wacid.replace(/^wacid\./, ""), "base64url").toString())?.[1] ?? null;
}

const COUNTRIES: Readonly<Record<string, string>> = {
  "55": "BR",
  "54": "AR",
  "52": "MX",
  "351": "PT",
  "44": "GB",
  "49": "DE",
  "34": "ES",
  "1": "US",
};

export function countryCodeOf(phone: string): string {
  return Object.keys(COUNTRIES).find((prefix) => phone.startsWith(prefix)) ?? "";
}

/** A person's id for one business, the same for all of its numbers. */
export function userIdOf(wabaId: string, phone: string): string {
  const hash = createHash("sha256").update(`${wabaId}:${phone}`).digest();
  return `${COUNTRIES[countryCodeOf(phone)] ?? "XX"}.${hash.readBigUInt64BE().toString().padStart(20, "0").slice(-16)}`;
}

export function usernameOf(phone: string): string {
  return `user.${phone.slice(-6)}`;
}

/** A number as the network writes it: in the configured form, or in the country's other spelling if only that one has an account. */
export function spelled(asked: string, learnt: Readonly<Record<string, string>>, isKnown: (digits: string) => boolean): string {
  const known = learnt[asked];
  if (known !== undefined) return known;
  const other = otherSpelling(asked);
  return !isKnown(asked) && other !== null && isKnown(other) ? other : asked;
}
