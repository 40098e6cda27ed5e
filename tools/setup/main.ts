// `npm run setup` deploys a clean clone (docs/operate/deployment.md, "Deploy"). It is safe to repeat, because it skips finished steps.
import { fileURLToPath } from "node:url";
import { pinBaseImage } from "./base-image.ts";
import { checkDocker, checkLogin, ensureBucket, ensureDatabase, ensureMediaRule } from "./account.ts";
import { changeConfiguration, CONFIGURATION, readConfiguration } from "./configuration.ts";
import { firstAdminLink, hasAdministrator } from "./first-admin.ts";
import { costText } from "./cost.ts";
import { HELP, isAgreed, type Plan, planOf, readFlags } from "./options.ts";
import { SetupProblem } from "./problem.ts";
import { placeOf, regionText } from "./region.ts";
import { ensureSecrets } from "./secrets.ts";
import { lastLines, type Wrangler, wranglerIn } from "./wrangler.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ASK_AGAIN_MS = 2_000;

const print = (text: string) => void process.stdout.write(`${text}\n`);

async function run(args: readonly string[]): Promise<void> {
  const flags = readFlags(args, process.env);
  if (flags === null) return print(HELP);
  const environment = flags.environment ?? "production";
  const wrangler = wranglerIn(ROOT, environment);
  const before = readConfiguration(ROOT, environment);
  await step("login", () => checkLogin(wrangler));
  if (flags.firstAdmin) {
    return print(await firstAdminText(wrangler, before.vars));
  }
  const plan = await planOf(flags, ROOT, before);
  print(`${plan.environment}: worker ${plan.name} at ${plan.vars.APP_URL}`);
  print(`\n${regionText(plan.region)}\n\n${costText(plan.bridge)}\n`);
  if (!(await isAgreed(flags))) return print("Nothing was changed.");
  await deploy(wrangler, plan);
  const admin = (await hasAdministrator(wrangler)) ? null : await firstAdminText(wrangler, { ...before.vars, ...plan.vars });
  print(`\nThe gateway runs: ${plan.vars.APP_URL}/docs\n`);
  print(admin ?? `It has an administrator, who signs in at ${plan.vars.APP_URL}. A new link: npm run setup -- --first-admin`);
  print(leftToDo(plan));
}

async function deploy(wrangler: Wrangler, plan: Plan): Promise<void> {
  const { environment, name, databaseName, bucket, workersDev, domains, vars, region } = plan;
  const { storage, containers } = placeOf(region);
  // Rewrites the containers' `constraints` only when the region changes, so that the operator's own lines are kept until then.
  const isNewRegion = readConfiguration(ROOT, environment).vars["REGION"] !== region;
  if (plan.bridge === "cloudflare") await step("Docker", () => checkDocker());
  // Creates the database first, so that a wrong name or login does not leave a changed configuration.
  let [databaseId, isNewGateway] = ["", false];
  await step("database", async () => {
    const { id, isNew, isOurs } = await ensureDatabase(wrangler, databaseName, readConfiguration(ROOT, environment), storage);
    [databaseId, isNewGateway] = [id, !isOurs];
    return `${databaseName}, ${isNew ? "new" : "there already"}`;
  });
  await step("bucket", async () => `${bucket}, ${(await ensureBucket(wrangler, bucket, storage, isNewGateway)) ? "new" : "there already"}`);
  await step("expiry of files", async () => ((await ensureMediaRule(wrangler, bucket)) ? "a rule of the bucket, new" : "there already"));
  await step("configuration", async () => {
    const change = { name, workersDev, domains, databaseName, databaseId, bucket, vars };
    changeConfiguration(ROOT, environment, isNewRegion ? { ...change, containers } : change);
    return CONFIGURATION;
  });
  if (plan.bridge === "cloudflare") await step("base image", () => pinBaseImage(ROOT, environment));
  let withSecrets: readonly string[] = [];
  await step("secrets", async () => {
    const { put, withoutCopy, withDeploy } = await ensureSecrets(wrangler, plan.secretsFile);
    if (withDeploy) withSecrets = [`--secrets-file=${plan.secretsFile}`];
    if (withoutCopy.length > 0) print(`  ${withoutCopy.join(", ")}: set, but not in ${plan.secretsFile}; you need your copy of them`);
    if (put.length === 0) return "there already, left as they are";
    return `${put.join(", ")} ${withDeploy ? "come with the deploy" : "set"}; your copy, the only one: ${plan.secretsFile}`;
  });
  await step("migrations", () =>
    shown(wrangler, ["d1", "migrations", "apply", "DB", "--remote"], "Nothing is deployed yet. Run setup again."),
  );
  await step("deploy", () =>
    shown(
      wrangler,
      ["deploy", ...withSecrets, ...(plan.bridge === "external" ? ["--containers-rollout=none"] : [])],
      "Everything before is done and stays. A domain has to be a zone of the same account, without another record for the name.",
    ),
  );
  await step("answer", () => waitForAnswer(vars.APP_URL, plan.waitMs));
}

async function step(title: string, work: () => Promise<string | void>): Promise<void> {
  print(`${title} …`);
  const done = await work();
  print(`${title}: ${done === undefined || done === "" ? "ok" : done}`);
}

async function shown(wrangler: Wrangler, args: readonly string[], remedy: string): Promise<void> {
  const ran = await wrangler(args, { show: true });
  if (!ran.ok) throw new SetupProblem(`\`wrangler ${args.join(" ")}\` failed:\n${lastLines(ran)}`, remedy);
}

async function waitForAnswer(appUrl: string, waitMs: number): Promise<string> {
  const url = `${appUrl}/api/health`;
  const deadline = Date.now() + waitMs;
  for (;;) {
    const problem = await problemOf(url);
    if (problem === null) return url;
    if (Date.now() + ASK_AGAIN_MS > deadline) {
      throw new SetupProblem(
        `${url} does not answer: ${problem}`,
        "The worker is deployed. A new name or certificate can take minutes: run setup again. A 500 is explained by `npx wrangler tail`.",
      );
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

async function problemOf(url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, {
      redirect: "manual",
      headers: { "user-agent": "Service-Setup/1.0" },
      signal: AbortSignal.timeout(10_000),
    });
    const body = (await answer.json().catch(() => null)) as { status?: unknown; problems?: { name: string; problem: string }[] } | null;
    if (answer.status === 200 && body?.status === "ok") return null;
    const named = body?.problems?.map(({ name, problem }) => `${name}: ${problem}`) ?? [];
    return [`status ${answer.status}`, ...named].join(", ");
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    return cause?.code ?? (error instanceof Error ? error.name : "no answer");
  }
}

/** With an external issuer, there is no password to choose. */
async function firstAdminText(wrangler: Wrangler, vars: Readonly<Record<string, string>>): Promise<string> {
  const { ADMIN_EMAIL: email = "", APP_URL: appUrl = "", IDENTITY_ISSUER: issuer = "" } = vars;
  if (email === "") throw new SetupProblem(`ADMIN_EMAIL is empty in ${CONFIGURATION}`, "npm run setup -- --admin-email you@your.domain");
  if (issuer !== "") return `The first administrator is whoever signs in by ${issuer} as ${email}, an address that it has verified.`;
  const link = await firstAdminLink(wrangler, email, appUrl, Date.now());
  return `The first administrator, ${email}, chooses a password here, once and within an hour:\n\n  ${link}\n\nAfterwards: sign in at ${appUrl}. A new link: npm run setup -- --first-admin`;
}

function leftToDo({ environment, bridge, vars, secretsFile, workersDev, domains }: Plan): string {
  const external = [
    `Session bridges: none runs until you start one. Its credential: npm run bridge:credential -- eu-1 --secrets ${secretsFile}`,
    '  How it is started: session-bridge/README.md, "Run"',
  ];
  const lines = [
    `Secrets: move ${secretsFile} to where you keep passwords. No command reads them back.`,
    `Email: the domain of ${vars["MAIL_FROM"] ?? ""} has to be allowed to send: docs/operate/operations.md, "Email"`,
    ...(domains.length > 0 ? [`DNS: done by the deploy for ${domains.join(", ")}`] : []),
    ...(workersDev || domains.length > 0 ? [] : [`DNS: ${vars.APP_URL} is routed by you`]),
    ...(bridge === "external" ? external : ["Session bridges: the first container starts within a minute"]),
    `Configuration: commit ${CONFIGURATION}; it holds no secret`,
    `Check: npm run doctor -- ${vars.APP_URL} (docs/operate/doctor.md)`,
    ...(environment === "staging" ? ["Upgrades: npm run migrate -- --env staging, then npm run deploy -- --env staging"] : []),
  ];
  return `\nLeft to do:\n${lines.map((line) => (line.startsWith("  ") ? `  ${line}` : `- ${line}`)).join("\n")}`;
}

await run(process.argv.slice(2)).catch((error: unknown) => {
  // The operator pressed Ctrl-C or Ctrl-D at a question. Nothing has been changed yet.
  const { code = "" } = error as { code?: string };
  if (["ABORT_ERR", "ERR_USE_AFTER_CLOSE"].includes(code)) return void (process.exitCode = 130);
  if (!(error instanceof SetupProblem)) throw error;
  process.stderr.write(`\n${error.message}\n${error.remedy}\n`);
  process.exitCode = 1;
});
