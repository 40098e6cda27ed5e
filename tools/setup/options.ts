// Options come from flags, SETUP_ variables or answers to questions.
import { createInterface } from "node:readline/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { type Location, LOCATIONS } from "@gateway/domain/fleet/locations.ts";
import type { Configuration } from "./configuration.ts";
import { SetupProblem } from "./problem.ts";
import type { Environment } from "./wrangler.ts";

export const HELP = `npm run setup -- [flags]: from a clean clone to a running deployment. You can rerun it: it resumes where it stopped.

  --environment NAME     production (default) or staging
  --url URL              where the gateway is reached, https://…: a domain of the Cloudflare account, or NAME.SUBDOMAIN.workers.dev
  --api-url URL          another address for the Account API (default: the same)
  --admin-email ADDRESS  the first administrator's email address
  --mail-from ADDRESS    the address that emails are sent from
  --region REGION        where everything is created; cannot be changed later: ${LOCATIONS.join(", ")}
  --subscriptions HOW    managed (default) or open: docs/operate/operations.md, "Accounts and subscriptions"
  --bridge WHERE         cloudflare (default; needs Docker here) or external
  --name NAME            the worker's name; D1 gets the same name, R2 NAME-media (default: as in wrangler.toml)
  --secrets FILE         where your copy of the secrets is kept (default: ~/gateway-secrets/WORKER.env)
  --wait SECONDS         how long to wait for the new address to respond (default 600)
  --first-admin          only print a new link for the first administrator
  --yes                  don't prompt, and accept the cost

Each flag can be given as a variable: SETUP_URL, SETUP_ADMIN_EMAIL … Wrangler's own variables work too: CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID.`;

const FLAGS = {
  environment: z.enum(["production", "staging"]),
  url: httpsAddress(),
  "api-url": httpsAddress(),
  "admin-email": z.email().max(254),
  "mail-from": z.email().max(254),
  region: z.enum(LOCATIONS),
  subscriptions: z.enum(["open", "managed"]),
  bridge: z.enum(["cloudflare", "external"]),
  name: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,52}[a-z0-9])?$/, "must be 1 to 54 small letters, digits and -"),
  secrets: z.string().min(1),
  wait: z.coerce.number().int().min(1).max(86_400),
};
const Flags = z.object(FLAGS).partial();
export type Flags = z.output<typeof Flags> & { yes: boolean; firstAdmin: boolean };

export type Plan = {
  environment: Environment;
  name: string;
  databaseName: string;
  bucket: string;
  workersDev: boolean;
  domains: readonly string[];
  vars: Readonly<Record<string, string>> & { APP_URL: string; BASE_URL: string; ADMIN_EMAIL: string };
  bridge: "cloudflare" | "external";
  region: Location;
  secretsFile: string;
  waitMs: number;
};

/** A URL without a path. Keeps the host as it was written. */
function httpsAddress() {
  return z
    .url({ protocol: /^https$/ })
    .refine((text) => new URL(text).pathname === "/" && new URL(text).search === "", "must be https://, a name, and nothing behind it")
    .transform((text) => text.replace(/\/+$/, ""));
}

export function readFlags(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Flags | null {
  const names = Object.keys(FLAGS);
  const { values } = parsed(args, names);
  if (values["help"] === true) return null;
  const given = names.flatMap((name) => {
    const value = values[name] ?? env[`SETUP_${name.toUpperCase().replaceAll("-", "_")}`];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  const read = Flags.safeParse(Object.fromEntries(given));
  if (!read.success) {
    const bad = read.error.issues.map((issue) => `--${issue.path.join(".")}: ${issue.message}`);
    throw new SetupProblem(bad.join("\n"), "npm run setup -- --help");
  }
  return { ...read.data, yes: values["yes"] === true, firstAdmin: values["first-admin"] === true };
}

function parsed(args: readonly string[], names: readonly string[]) {
  const text = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const options = { ...text, yes: { type: "boolean" }, "first-admin": { type: "boolean" }, help: { type: "boolean" } } as const;
  try {
    return parseArgs({ args: [...args], options, strict: true }) as { values: Record<string, string | boolean | undefined> };
  } catch (error) {
    throw new SetupProblem(error instanceof Error ? error.message : String(error), "npm run setup -- --help");
  }
}

/** Asks for missing options, unless `--yes` is set or there is no terminal. */
export async function planOf(flags: Flags, root: string, now: Configuration): Promise<Plan> {
  const ask = flags.yes || !process.stdin.isTTY ? null : createInterface({ input: process.stdin, output: process.stdout });
  const missing: string[] = [];
  const value = async (flag: keyof typeof FLAGS, question: string, known: string | undefined): Promise<string> => {
    const given = flags[flag];
    if (given !== undefined) return String(given);
    for (;;) {
      const typed = ask === null ? "" : (await ask.question(known === undefined ? `${question}: ` : `${question} [${known}]: `)).trim();
      const chosen = typed === "" ? known : typed;
      const read = FLAGS[flag].safeParse(chosen);
      if (read.success) return String(read.data);
      if (ask === null) {
        missing.push(`--${flag}`);
        return "";
      }
      if (chosen !== undefined) process.stdout.write(`  ${read.error.issues[0]?.message ?? "cannot be used"}\n`);
    }
  };
  try {
    const url = await value("url", "Where the gateway is reached (https://…)", real(now.vars["APP_URL"]));
    const admin = await value("admin-email", "Email address of the first administrator", real(now.vars["ADMIN_EMAIL"]));
    const sender = await value("mail-from", "Sender address for emails", real(now.vars["MAIL_FROM"]));
    const region = await value("region", `Region (${LOCATIONS.join(", ")})`, real(now.vars["REGION"]));
    const subscriptions = await value("subscriptions", "Subscriptions (managed, open)", now.vars["SUBSCRIPTIONS"] ?? "managed");
    const bridge = await value("bridge", "Where session bridges run (cloudflare, external)", now.vars["BRIDGE_HOST"] ?? "cloudflare");
    if (missing.length > 0) throw new SetupProblem(`missing: ${missing.join(" ")}`, "npm run setup -- --help");
    return plan(flags, root, now, { url, admin, sender, region: region as Location, subscriptions, bridge });
  } finally {
    ask?.close();
  }
}

type Answers = { url: string; admin: string; sender: string; region: Location; subscriptions: string; bridge: string };

function plan(flags: Flags, root: string, now: Configuration, answers: Answers): Plan {
  const { url, admin, sender, region, subscriptions, bridge } = answers;
  const name = flags.name ?? now.name;
  const apiUrl = flags["api-url"] ?? (flags.url === undefined ? (real(now.vars["BASE_URL"]) ?? url) : url);
  const hosts = [...new Set([url, apiUrl].map((address) => new URL(address).hostname))];
  const onWorkersDev = hosts.filter((host) => host.endsWith(".workers.dev"));
  const wrong = onWorkersDev.find((host) => host.split(".")[0] !== name);
  if (wrong !== undefined) {
    throw new SetupProblem(
      `the worker ${name} is not reached at ${wrong}`,
      `On workers.dev it is https://${name}.SUBDOMAIN.workers.dev, with your account's subdomain (dashboard, "Workers & Pages").`,
    );
  }
  const secretsFile = resolve(flags.secrets ?? join(homedir(), "gateway-secrets", `${name}.env`));
  if (`${secretsFile}/`.startsWith(join(root, "/"))) {
    throw new SetupProblem(`${secretsFile} is inside the repository`, "Name a file outside with --secrets, where you keep passwords.");
  }
  return {
    environment: flags.environment ?? "production",
    name,
    databaseName: flags.name ?? now.databaseName,
    bucket: flags.name === undefined ? now.bucket : `${name}-media`,
    workersDev: onWorkersDev.length > 0,
    domains: hosts.filter((host) => !host.endsWith(".workers.dev") && isDomain(host)),
    vars: {
      APP_URL: url,
      BASE_URL: apiUrl,
      MAIL_FROM: sender,
      ADMIN_EMAIL: admin.toLowerCase(),
      REGION: region,
      SUBSCRIPTIONS: subscriptions,
      BRIDGE_HOST: bridge,
    },
    bridge: bridge === "external" ? "external" : "cloudflare",
    region,
    secretsFile,
    waitMs: (flags.wait ?? 600) * 1_000,
  };
}

/** A domain is not an IP address and not a name of this machine. */
function isDomain(host: string): boolean {
  return /\.[a-z]{2,}$/i.test(host);
}

/** Asks whether to continue. Returns true with `--yes`. */
export async function isAgreed(flags: Flags): Promise<boolean> {
  if (flags.yes) return true;
  if (!process.stdin.isTTY) throw new SetupProblem("nobody can agree to the cost: there is no terminal", "Run setup with --yes.");
  const ask = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await ask.question("Go on? (yes, no): ")).trim());
  } finally {
    ask.close();
  }
}

/** Placeholders are treated as missing values. */
function real(value: string | undefined): string | undefined {
  return value === undefined || value === "" || /[@./]example\.com$/.test(value) ? undefined : value;
}
