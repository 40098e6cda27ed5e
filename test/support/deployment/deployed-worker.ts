// The worker built by `wrangler deploy`, in the local runtime behind https as on Cloudflare. It has its own configuration's bindings,
// the migrated database, and none of the sandbox's routes or settings.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { eventually } from "../eventually.ts";

export type SentMail = { to: string; subject: string; text: string };

type AskInit = { method?: string; headers?: Record<string, string>; body?: string };

export type DeployedWorker = {
  /** Sends a request directly to the worker, bypassing its public address. */
  ask(path: string, init?: AskInit): Promise<{ status: number; body: any }>;
  database(): ReturnType<Miniflare["getD1Database"]>;
  /** Fires the cron event with this expression; resolves once its tasks have finished. */
  cron(expression: string): Promise<void>;
  /** Resolves to the first email to this address, past or future. */
  mailTo(address: string): Promise<SentMail>;
  /** The worker's most recent log lines. */
  logs(): string;
  dispose(): Promise<void>;
};

/** Worker options as wrangler derives them from the configuration. */
type WorkerOptions = Record<string, unknown>;

type Deployment = {
  clone: string;
  /** The fake wrangler's folder, with the build and D1's state. */
  folder: string;
  /** Public address for clients other than the test; none if absent. */
  at?: { port: number; tls: { keyPem: string; certPem: string } };
  secrets: Readonly<Record<string, string>>;
  /** The internet as this worker sees it: the real destination for each host. */
  internet?: Readonly<Record<string, string>>;
  /** Makes the deployment incomplete. */
  broken?: (options: WorkerOptions) => WorkerOptions;
};

/** The runtime's mail binding stores each email in a file and logs its path. */
class MailLog extends Log {
  readonly mails: SentMail[] = [];

  constructor() {
    super(LogLevel.INFO);
  }

  override log(message: string): void {
    const file = /send_email binding called[^]*?\nText: (\S+)/.exec(message)?.[1];
    if (file === undefined) return;
    const [to = "", subject = ""] = [/^To: (.+)$/m.exec(message)?.[1], /^Subject: (.+)$/m.exec(message)?.[1]];
    this.mails.push({ to, subject, text: readFileSync(file, "utf8") });
  }
}

export async function startDeployedWorker(deployment: Deployment): Promise<DeployedWorker> {
  const { clone, folder, at, secrets, internet = {}, broken = (options) => options } = deployment;
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(clone, "wrangler.toml"), undefined, {
    overrides: { enableContainers: false },
  });
  const log = new MailLog();
  const lines: string[] = [];
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      ...(at === undefined ? {} : { port: at.port, httpsKey: at.tls.keyPem, httpsCert: at.tls.certPem }),
      log,
      handleStructuredLogs: ({ message }: { message: string }) => lines.push(message),
      resourcePersistencePath: join(folder, "state/v3"),
      workers: [
        {
          ...broken({ ...workerOptions, bindings: { ...(workerOptions.bindings as object), ...secrets } }),
          name: "gateway",
          rootPath: clone,
          modules: [{ type: "ESModule", path: join(clone, "worker.js"), contents: readFileSync(join(folder, "build/worker.js"), "utf8") }],
          outboundService: async (request: Request) => {
            const url = new URL(request.url);
            const there = internet[url.origin];
            if (there === undefined) return new Response(null, { status: 523 });
            return fetch(`${there}${url.pathname}`, { method: request.method, headers: [...request.headers], body: await request.text() });
          },
        },
      ],
    } as Parameters<typeof convertV4MiniflareOptions>[0]),
  );
  await runtime.ready;
  return {
    ask: async (path, init = {}) => {
      const answer = await runtime.dispatchFetch(`https://gateway.test${path}`, init);
      return { status: answer.status, body: await answer.json() };
    },
    database: () => runtime.getD1Database("DB", "gateway"),
    cron: async (expression) => {
      const worker = await runtime.getWorker("gateway");
      await worker.scheduled({ cron: expression });
    },
    mailTo: (address) => eventually(`an email to ${address}`, 60_000, () => log.mails.find(({ to }) => to.includes(address))),
    logs: () => lines.slice(-100).join("\n"),
    dispose: () => runtime.dispose(),
  };
}
