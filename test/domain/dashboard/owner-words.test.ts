// The pages of a number's owner name no headers, status codes or fields of the API. Pages for developers and operators may.
import { describe, expect, it } from "vitest";
import type { FailureCode } from "@gateway/protocol/failures.ts";
import { dashboardText, FAILURE_TEXTS } from "@gateway/domain/failures/texts.ts";

const AREAS = ["account", "chats", "connections", "deliveries", "overview", "pair", "pairing-link", "reasons", "settings", "shell", "ui"];
const TECHNICAL = /\b(?:[245]xx|40\d|42\d|463|50[0-4]|HTTP|JSON|Retry-After|Idempotency-Key|[a-z]+_[a-z_]+)\b|pela API|through the API/;

/** Returns every text; for a function, its source instead of its results. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return [...String(value).matchAll(/`([^`]*)`|"([^"]*)"/g)].map(([, a = "", b = ""]) => a + b);
  return Object.values(value as object).flatMap(textsOf);
}

describe.each(["pt", "en"] as const)("the texts in %s", (language) => {
  const load = async (area: string) => {
    // Loads browser code, whose types are not available in this project.
    const path = `../../../dashboard/src/texts/${language}/${area}.ts`;
    return ((await import(path)) as { default: object }).default;
  };

  it.each(AREAS)("use no technical words: %s", async (area) => {
    const texts = textsOf(await load(area));
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => TECHNICAL.test(text))).toEqual([]);
  });

  it("use no technical words for failures, whatever the API calls them", async () => {
    const own = await load("failures");
    const texts = (Object.keys(FAILURE_TEXTS) as FailureCode[]).map((code) => dashboardText({ code }, own, language));
    expect(texts.filter((text) => text === "" || TECHNICAL.test(text))).toEqual([]);
  });

  it("tell a failure by its details before the dashboard's own words", async () => {
    const own = { ...(await load("failures")), media_invalid: "own" };
    const text = (details: object | null) => dashboardText({ code: "media_invalid", details }, own, language);
    expect(text({ reason: "too_long" })).toMatch(language === "pt" ? /longo demais/ : /too long/);
    expect([text({ reason: "empty" }), text([{ field: "media", issue: "x" }]), text(null)]).toEqual(["own", "own", "own"]);
    expect(dashboardText({ code: "code_of_another_release" as FailureCode }, own, language)).toBe("");
  });

  it("say in a second sentence what to do about failures that the reader cannot fix", async () => {
    const own = (await load("failures")) as Record<string, string>;
    const codes = [
      "account_suspended",
      "cloud_credentials_invalid",
      "forbidden",
      "network_error",
      "network_timeout",
      "outside_service_window",
    ];
    expect(codes.filter((code) => !/\.\s\p{Lu}.+\.$/u.test(own[code] ?? ""))).toEqual([]);
  });
});
