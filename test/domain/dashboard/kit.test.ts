// Computations in the dashboard's widgets: phone numbers as people write them, ages, and the type of a pasted text.
import { describe, expect, it } from "vitest";
import { matching, pastedId, withoutVerb } from "#root/dashboard/src/domain/palette.ts";
import { groupedPhone, readPhone } from "#root/dashboard/src/domain/phone.ts";
import metadata from "libphonenumber-js/metadata.min.json";
import { phoneRules } from "#root/dashboard/src/domain/phone-rules.ts";
import { relative, timeFormat } from "#root/dashboard/src/domain/formats.ts";
import { span } from "#root/dashboard/src/texts/span.ts";
import { STATUS_REASONS } from "@gateway/domain/instance/state.ts";
import english from "#root/dashboard/src/texts/en/reasons.ts";
import portuguese from "#root/dashboard/src/texts/pt/reasons.ts";
import type portugueseShell from "#root/dashboard/src/texts/pt/shell.ts";

const rules = phoneRules(metadata);

describe("a number that somebody typed", () => {
  it.each([
    ["11 90000-0003", "5511900000003"],
    ["(11) 90000.0003", "5511900000003"],
    ["011 90000-0003", "5511900000003"],
    ["11 3000-0003", "551130000003"],
    ["55 11 90000-0003", "5511900000003"],
    ["+55 11 90000-0003", "5511900000003"],
    ["0055 11 90000-0003", "5511900000003"],
    // Area code 55.
    ["55 99000-0003", "5555990000003"],
    ["+351 912 345 678", "351912345678"],
    ["+1 650 253 0000", "16502530000"],
    ["90000-0003", null],
    ["+55 90000-0003", null],
    ["551190000000312", null],
    ["055", null],
    ["abc", null],
    ["", null],
  ])("%s is read in Brazil as %s", (text, digits) => {
    expect([readPhone(text, "BR", null), readPhone(text, "BR", rules)]).toEqual([digits, digits]);
  });

  it.each([
    ["912 345 678", "PT", "351912345678"],
    ["0171 2345678", "DE", "491712345678"],
    ["(650) 253-0000", "US", "16502530000"],
    ["+55 11 90000-0003", "PT", "5511900000003"],
    ["12", "PT", null],
  ])("%s is read in %s as %s", (text, country, digits) => {
    expect(readPhone(text, country, rules)).toBe(digits);
  });

  it("names its country by its code, and Brazil comes first among all countries", () => {
    expect(["+351 912 345 678", "00351912345678", "912 345 678"].map(rules.countryOf)).toEqual(["PT", "PT", null]);
    const [first, ...others] = rules.countries("pt");
    expect(first).toEqual({ country: "BR", code: "55", name: "Brasil" });
    expect(others.length).toBeGreaterThan(200);
    expect(others.find(({ country }) => country === "DE")).toEqual({ country: "DE", code: "49", name: "Alemanha" });
  });
});

describe("a phone", () => {
  it.each([
    ["5511900000001", "+55 11 90000-0001"],
    ["551140040001", "+55 11 4004-0001"],
    ["12125550100", "+1 212 555-0100"],
    ["351912345678", "+351 912 345 678"],
    ["4915112345678", "+49 151 123 456 78"],
    ["79161234567", "+7 916 123 4567"],
    ["244923456789", "+244 923 456 789"],
  ])("%s is read as %s", (digits, shown) => {
    expect(groupedPhone(digits)).toBe(shown);
  });

  it("loses no digit, whatever its country", () => {
    for (const digits of ["1234567", "59812345678", "999123456789012", "20100000001", "8613800138000"])
      expect(groupedPhone(digits).replaceAll(/\D/g, "")).toBe(digits);
  });

  it("is left as it is if it is no phone number", () => {
    expect(groupedPhone("abc")).toBe("abc");
  });
});

describe("an age", () => {
  const now = Date.UTC(2026, 10, 22, 12);
  const ago = (ms: number, locale = "pt-BR") => relative(now - ms, now, locale, "agora");

  it("is told in its largest whole unit", () => {
    expect([ago(1_000), ago(42_000), ago(3 * 60_000 + 59_000), ago(2 * 3_600_000), ago(26 * 3_600_000)]).toEqual([
      "agora",
      "há 42 segundos",
      "há 3 minutos",
      "há 2 horas",
      "há 1 dia",
    ]);
    expect(ago(-90_000, "en")).toBe("in 1 minute");
    const day = 86_400_000;
    expect([ago(-3 * day), ago(-3 * day + 1_000), ago(-2.6 * day), ago(3 * day - 1_000)]).toEqual([
      "em 3 dias",
      "em 3 dias",
      "em 3 dias",
      "há 2 dias",
    ]);
  });

  it("is a date after 30 days", () => {
    expect(ago(30 * 86_400_000)).toMatch(/23 de out\. de 2026/);
  });
});

describe("a time left", () => {
  it("has its two largest units", () => {
    const [minute, hour] = [60_000, 3_600_000];
    expect([0, 12 * minute, 60 * minute, 61 * minute, 71 * hour - 1, 72 * hour].map((ms) => span(ms, "pt-BR"))).toEqual([
      "1 minuto",
      "12 minutos",
      "1 hora",
      "1 hora e 1 minuto",
      "2 dias e 23 horas",
      "3 dias",
    ]);
    expect(span(71 * hour, "en")).toBe("2 days and 23 hours");
  });
});

describe("a time of day", () => {
  it("has a leading zero in Portuguese, and none in English", () => {
    const at = Date.UTC(2026, 10, 22, 9, 5, 7);
    const of = (locale: string, options = {}) =>
      timeFormat(locale, { timeZone: "UTC", ...options })
        .format(at)
        .replaceAll(/\s/g, " ");
    expect([of("pt-BR"), of("en")]).toEqual(["09:05", "9:05 AM"]);
    const precise = { second: "2-digit", fractionalSecondDigits: 3 };
    expect([of("pt-BR", precise), of("en", precise)]).toEqual(["09:05:07,000", "9:05:07.000 AM"]);
  });
});

describe("the palette", () => {
  it("knows what was pasted", () => {
    expect(pastedId(" msg_e335da910933267d ")).toEqual({ kind: "delivery", id: "msg_e335da910933267d" });
    expect(pastedId("3EB0BC76B86EF4B3928ED9")).toEqual({ kind: "message", id: "3EB0BC76B86EF4B3928ED9" });
    expect(pastedId("0D6C2E1E-93AB-4C55-B1A7-8AC0D5F8F3B1")).toEqual({ kind: "request", id: "0d6c2e1e-93ab-4c55-b1a7-8ac0d5f8f3b1" });
    expect(pastedId("+55 (11) 90000-0001")).toEqual({ kind: "phone", digits: "5511900000001" });
    expect([pastedId("demo"), pastedId("loja 2"), pastedId("123"), pastedId("0551190000")]).toEqual([null, null, null, null]);
  });

  it("finds every word that was typed, without accents, and what begins with it first", () => {
    const choices = ["Nova conexão", "Conexões", "Entregas", "Reconectar Loja Centro"].map((label) => ({ label }));
    expect(matching(choices, "conexo").map(({ label }) => label)).toEqual(["Conexões"]);
    expect(matching(choices, "CONEX").map(({ label }) => label)).toEqual(["Conexões", "Nova conexão"]);
    expect(matching(choices, "centro reconectar")).toHaveLength(1);
    expect(matching(choices, " ")).toHaveLength(4);
    const synonyms = [
      { label: "Integrações", also: "webhook chave api" },
      { label: "Conta", also: "cobrança" },
    ];
    expect(["webhook", "COBRANCA", "chave api", "nada"].map((typed) => matching(synonyms, typed).map(({ label }) => label))).toEqual([
      ["Integrações"],
      ["Conta"],
      ["Integrações"],
      [],
    ]);
  });

  // The name is not a literal, because the English texts import types that need a browser.
  it.each(["pt", "en"])("looks for the connection behind the verb of an action: %s", async (language) => {
    const texts = (await import(`#root/dashboard/src/texts/${language}/shell.ts`)) as { default: typeof portugueseShell };
    const { reconnect, disconnect, pair } = texts.default.palette;
    const actions = [reconnect, disconnect, pair];
    const name = "Loja Centro";
    expect(actions.map((label) => withoutVerb(label(name).toUpperCase(), actions))).toEqual(actions.map(() => name.toUpperCase()));
    expect([withoutVerb(name, actions), withoutVerb(pair("").trim(), actions)]).toEqual([name, pair("").trim()]);
  });
});

describe("the words of status reasons", () => {
  it.each([
    ["pt", portuguese],
    ["en", english],
  ])("say what happened and what to do next: %s", (_language, words) => {
    expect(Object.keys(words).toSorted()).toEqual([...STATUS_REASONS].toSorted());
    for (const [reason, { short, happened, next }] of Object.entries(words)) {
      expect([reason, happened.endsWith("."), next.endsWith(".")]).toEqual([reason, true, true]);
      expect([reason, short.length <= 26, short !== "" || reason === "ok"]).toEqual([reason, true, true]);
    }
  });
});
