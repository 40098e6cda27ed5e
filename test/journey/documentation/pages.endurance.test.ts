// The documentation in a real browser: reading, screen reader and keyboard use, and network requests.
import { describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { lintErrors } from "../../support/documentation/lint.ts";
import { isWiderThanTheScreen, NARROW, NARROWEST, SURFACES, useReader, violations, WIDE } from "./reader.ts";

const reader = useReader();

/** Half of the combinations, covering every combination of any three of the four choices. */
const READINGS = SURFACES.flatMap((surface, first) =>
  (["en", "pt"] as const).flatMap((language, second) =>
    [WIDE, NARROW].map((viewport, third) => {
      const colorScheme: "light" | "dark" = (first + second + third) % 2 === 0 ? "light" : "dark";
      return { surface, language, viewport, colorScheme, width: viewport.width };
    }),
  ),
);

describe.each(READINGS)("$surface.path in $language at $width px, $colorScheme", ({ surface, language, viewport, colorScheme }) => {
  it("can be read by everybody, guides and routes", async () => {
    const page = await reader().newPage({ viewport, colorScheme });
    const path = `${surface.path}?lang=${language}`;
    await reader().openRoute(page, path, surface.tag, surface[language].summary);
    expect(await page.locator("html").getAttribute("lang")).toBe(language === "pt" ? "pt-BR" : "en");
    await page.getByRole("heading", { name: surface[language].title, exact: true }).first().waitFor();
    await page.getByRole("heading", { name: surface[language].guide, exact: true }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await isWiderThanTheScreen(page)).toBe(false);
  });

  it("can be read by everybody before the reference loads", async () => {
    const page = await reader().newPage({ viewport, colorScheme });
    await reader().open(page, `${surface.path}?lang=${language}`);
    await page.getByRole("heading", { name: surface[language].summary, exact: true }).waitFor({ state: "attached" });
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize(NARROWEST);
    expect(await isWiderThanTheScreen(page)).toBe(false);
  });
});

/** A developer's search text, and the name of the first result. */
const FIRST_HITS: Readonly<Record<string, readonly { words: string; name: string }[]>> = {
  "/docs": [
    { words: "send image", name: "Send an image" },
    { words: "message.received", name: "message.received" },
    { words: "voice", name: "Send a voice message" },
    { words: "image", name: "Send an image" },
    { words: "group", name: "Groups" },
    { words: "webhook", name: "Webhooks: receive and verify events" },
  ],
  "/docs/account": [
    { words: "image", name: "Send an image" },
    { words: "group", name: "Groups" },
    { words: "webhook", name: "Webhooks: receive and verify events" },
  ],
};

/** Search texts that no title contains, and a part of the first result. */
const FOUND_IN_TEXTS: readonly { path: string; firsts: Readonly<Record<string, string>> }[] = [
  {
    path: "/docs?lang=en",
    firsts: {
      numero_sem_conta: "numero_sem_conta",
      resultado_incerto: "resultado_incerto",
      429: "429",
      "rate limit": "Limits",
      HMAC: "Verify the signature",
      whsec: "Verify the signature",
      resend: "Webhooks: receive and verify events",
      photo: "Send an image",
      idempotency: "Retries and idempotency",
    },
  },
  {
    path: "/docs?lang=pt",
    firsts: { numero_sem_conta: "numero_sem_conta", reenviar: "Webhooks: receber e conferir eventos", hmac: "Conferir a assinatura" },
  },
  {
    path: "/docs/account?lang=en",
    firsts: { "rate limit": "Limits", photo: "Send an image", idempotency: "Retries and idempotency", HMAC: "Verify the signature" },
  },
  {
    path: "/docs/account?lang=pt",
    firsts: { send_outcome_unknown: "send_outcome_unknown", "rate limit": "Limites" },
  },
];

it.each(FOUND_IN_TEXTS)("$path finds what only the texts of guides and the tables of errors contain", async ({ path, firsts }) => {
  const page = await reader().newPage();
  await reader().open(page, path);
  await page.getByRole("button", { name: /^(Search|Buscar)$/ }).click();
  const found: Record<string, string> = {};
  for (const [words, name] of Object.entries(firsts)) {
    await page.getByRole("combobox", { name: /search|buscar/i }).fill(words);
    const [first = "nothing"] = await page.getByRole("option").allTextContents();
    found[words] = first.includes(name) ? name : first;
  }
  expect(found).toEqual(firsts);
});

it("leaves out routes that share a word with most other routes", async () => {
  const page = await reader().newPage();
  await reader().open(page, "/docs?lang=en");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox", { name: /search/i }).fill("idempotency");
  const found = await page.getByRole("option").allTextContents();
  expect(found).toContain("Retries and idempotency");
  expect(found.filter((name) => name.includes("/api/"))).toEqual([]);
});

it("leads to the row of an error", async () => {
  const page = await reader().newPage();
  await reader().open(page, "/docs?lang=en");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("combobox", { name: /search/i }).fill("numero_sem_conta");
  await page.getByRole("option").first().click();
  await page.locator("tr:target").getByText("numero_sem_conta").waitFor();
  expect(new URL(page.url()).hash).toBe("#error/numero_sem_conta");
});

describe.each(SURFACES)("$path", (surface) => {
  it("finds routes and guides", async () => {
    const page = await reader().newPage();
    await reader().open(page, `${surface.path}?lang=en`);
    for (const name of [surface.en.summary, surface.en.guide]) {
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("combobox", { name: /search/i }).fill(name);
      await page.getByRole("option", { name }).first().click();
      const heading = page.getByRole("heading", { name, exact: true }).first();
      await heading.waitFor();
      expect(await heading.innerText()).toContain(name);
    }
  });

  it.each(FIRST_HITS[surface.path] ?? [])("finds $words first as $name", async ({ words, name }) => {
    const page = await reader().newPage();
    await reader().open(page, `${surface.path}?lang=en`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("combobox", { name: /search/i }).fill(words);
    await expect.poll(() => page.getByRole("option").first().textContent(), { timeout: 60_000 }).toContain(name);
  });

  it("is in the reader's language, and stays in the one he chooses", async () => {
    const page = await reader().newPage({ locale: "pt-BR" });
    await reader().open(page, surface.path);
    expect(await page.locator("main h1").first().innerText()).toBe(surface.pt.title);
    await page.getByRole("link", { name: "EN", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: surface.en.title }).waitFor();
    await reader().open(page, surface.path);
    expect(await page.locator("main h1").first().innerText()).toBe(surface.en.title);
  });
});

describe("the console", () => {
  it.each([
    { viewport: WIDE, colorScheme: "light" as const },
    { viewport: NARROW, colorScheme: "dark" as const },
  ])("sends a message with the reader's key ($viewport.width px)", async (look) => {
    const page = await reader().newPage(look);
    await reader().openRoute(page, "/docs?lang=en", "messages", SURFACES[0].en.summary);
    const id = await reader().sendFromConsole(page);
    expect(await violations(page)).toEqual([]);
    const ready = reader().sandbox.ready();
    const inbox = await phones(ready).inbox(ready.demo.contact?.phone ?? "");
    expect(JSON.stringify(inbox)).toContain(id);
    await reader().closeConsole(page);
  });

  it("closes by one Escape, although a tooltip was shown", async () => {
    const page = await reader().newPage();
    await reader().openRoute(page, "/docs?lang=en", "messages", SURFACES[0].en.summary);
    await page.getByRole("button", { name: "Test Request" }).first().click();
    await page.locator(".scalar-app-layout [aria-describedby=scalar-tooltip]").first().hover();
    await page.getByRole("tooltip").waitFor();
    await reader().closeConsole(page);
    expect(await page.getByRole("button", { name: "Test Request" }).first().isEnabled()).toBe(true);
  });

  it("shows samples in Go, JavaScript, PHP, Python and shell", async () => {
    const page = await reader().newPage();
    await reader().openRoute(page, "/docs?lang=en", "messages", SURFACES[0].en.summary);
    await page
      .getByRole("button", { name: /Shell Curl|Curl/ })
      .first()
      .click();
    const offered = async () => (await page.getByRole("option").allInnerTexts()).map((name) => name.trim());
    await expect.poll(offered).toEqual(["NewRequest", "Fetch", "cURL", "Requests", "Curl"]);
  });
});

describe("the machine-readable documents", () => {
  it.each(["/docs/connection.json?lang=en", "/docs/connection.json?lang=pt", "/docs/account.json?lang=en", "/docs/account.json?lang=pt"])(
    "%s has no error that a linter finds",
    async (path) => {
      expect(await lintErrors(reader().sandbox.ready().app_url + path)).toEqual([]);
    },
  );
});
