export type Problem = { what: string; remedy: string };

const NO_NAME = "The name has no address: list it under routes in wrangler.toml as a custom domain and run `npm run deploy`";
const NO_CERTIFICATE =
  "A new name gets its certificate within minutes. Cloudflare's free certificate covers only one level below the domain (a.example.com, not a.b.example.com)";

/** Reasons for a missing response, by Node's error code. */
const CONNECTION: Readonly<Record<string, Problem>> = {
  ENOTFOUND: { what: "the name is not in the DNS", remedy: NO_NAME },
  EAI_AGAIN: { what: "the DNS server does not respond", remedy: "Check this machine's own network" },
  ECONNREFUSED: {
    what: "the address refuses connections",
    remedy: "The name does not lead to Cloudflare: remove its own DNS record and run `npm run deploy`",
  },
  CERT_HAS_EXPIRED: {
    what: "the certificate has expired",
    remedy: 'Renew it: dashboard, "SSL/TLS", "Edge Certificates". Bridges and customers refuse it too',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: { what: "the certificate is for another name", remedy: NO_CERTIFICATE },
  EPROTO: { what: "there is no certificate for this name", remedy: NO_CERTIFICATE },
};

export function connectionProblem(code: string): Problem {
  return (
    CONNECTION[code] ?? {
      what: `no response (${code})`,
      remedy: "Check this machine's own network, then https://www.cloudflarestatus.com",
    }
  );
}

const SECRET = /^(?:KEY|STATE|BRIDGE|AUTH)_SECRET$/;

export function configurationProblem({ name, problem }: { name: string; problem: string }): Problem {
  const what = `${name}: ${problem}`;
  if (SECRET.test(name)) {
    return {
      what,
      remedy:
        "Set the secret to the value in your backup: `npm run setup` sets a missing secret, `npx wrangler secret put` replaces a wrong one (docs/operate/secrets.md)",
    };
  }
  if (name === "DATA_DIR")
    return { what, remedy: 'Make room on the machine\'s disk, or repair it (docs/operate/one-machine.md, "Troubleshooting")' };
  if (problem.includes("binding")) return { what, remedy: "Copy the binding from this release's wrangler.toml and run `npm run deploy`" };
  return { what, remedy: "Correct it under [vars] in wrangler.toml and run `npm run deploy` (docs/operate/operations.md)" };
}

/** Remedies for failed checks of `GET /api/admin/self-check`, also where the gateway runs on one machine instead of on Cloudflare. */
const REMEDIES: Readonly<Record<string, string>> = {
  settings:
    "Run `npm run setup`, which asks for the value. On one machine, correct its settings DOMAIN and MAIL_FROM and restart the gateway",
  database:
    "Check https://www.cloudflarestatus.com and database_id in wrangler.toml, which must be of this account. On one machine, check the disk and restart the gateway",
  migrations: "Run `npm run migrate`. On one machine, restart the gateway, which applies them",
  clock: "Cloudflare sets these clocks: report it there. On one machine, set its clock (timedatectl set-ntp true) and restart the gateway",
  files: "Check that R2 is enabled and bucket_name in wrangler.toml exists: `npx wrangler r2 bucket list`. On one machine, check the disk",
  pages: "Run `npm run deploy`: it builds the dashboard and uploads it. On one machine, restart the gateway",
  crons:
    'A new deployment\'s first run takes up to 15 minutes. Later: compare "Triggers" in the dashboard with crons in wrangler.toml, then read the log for failures of the watchdog. On one machine, restart the gateway and look in the log for `cron.failed`',
  pools: "Check https://www.cloudflarestatus.com, then `npx wrangler tail`. On one machine, restart the gateway",
  bridges:
    'On Cloudflare a container starts within minutes: `npx wrangler containers list`. One machine restarts its bridges within a minute: read the logs in its data folder. Elsewhere start one: session-bridge/README.md, "Run"',
  capacity:
    'On Cloudflare raise `max_instances` under [[containers]] and deploy. On one machine raise its settings BRIDGES or BRIDGE_CAPACITY and restart. Elsewhere start another bridge (session-bridge/README.md, "Run")',
  versions:
    'Deploy bridges and worker from the same release (docs/operate/bridges.md, "Rolling out a build"). On one machine, restart the gateway',
  containers:
    'Deploy with the [[containers]] of this class in wrangler.toml, and check the output of the deploy for them (docs/operate/first-day.md, "The platform")',
  mail: 'Let the domain of MAIL_FROM send: `npx wrangler email sending enable DOMAIN` (docs/operate/operations.md, "Email"). On one machine, check its settings SMTP_URL and MAIL_FROM',
  alarms: 'docs/operate/monitoring.md, "Fleet alarms", has the first step for each',
  disk: 'Make room on the machine (docs/operate/one-machine.md, "Troubleshooting")',
  backups: 'Read the line `backup.failed` in the log (docs/operate/one-machine.md, "Troubleshooting")',
};

export function checkProblem({ name, detail }: { name: string; detail: string | null }): Problem {
  return { what: `${name}: ${detail ?? "failed"}`, remedy: REMEDIES[name] ?? "Update this clone: it is older than the deployment" };
}
