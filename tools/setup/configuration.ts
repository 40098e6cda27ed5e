// Reads wrangler.toml as wrangler does, and edits it line by line to preserve the operator's comments.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { SetupProblem } from "./problem.ts";
import type { Environment } from "./wrangler.ts";

export const CONFIGURATION = "wrangler.toml";
export const NO_DATABASE_ID = "00000000-0000-0000-0000-000000000000";

/** An entry of `routes`: a pattern, or a table such as { pattern = "app.example.com", custom_domain = true }. */
export type Route = string | Readonly<Record<string, unknown>>;

export type Configuration = {
  name: string;
  workersDev: boolean;
  /** Without a line of its own, staging has production's. */
  routes: readonly Route[];
  databaseName: string;
  databaseId: string;
  bucket: string;
  vars: Readonly<Record<string, string>>;
  containers: readonly ContainerImage[];
};

/** The image of one [[containers]] entry. `built` means that the deploy builds it, with these build arguments. */
export type ContainerImage = { built: boolean; imageVars: Readonly<Record<string, string>> };

/** Absent fields stay unchanged. `domains` are hostnames routed to the worker, and replace those of the previous addresses. */
export type Change = {
  name?: string;
  workersDev?: boolean;
  domains?: readonly string[];
  databaseName?: string;
  databaseId?: string;
  bucket?: string;
  containers?: readonly string[];
  /** Build arguments of each container's image, in file order. Null leaves them unchanged. */
  imageVars?: readonly (Readonly<Record<string, string>> | null)[];
  vars?: Readonly<Record<string, string>>;
};

/** Copied from wrangler's own type, because wrangler does not export the package that contains it. */
type ReadByWrangler = {
  name?: string;
  workers_dev?: boolean;
  routes?: Route[];
  d1_databases: { binding: string; database_name?: string; database_id?: string }[];
  r2_buckets: { binding: string; bucket_name?: string }[];
  vars: Record<string, unknown>;
  containers?: { image?: string; image_vars?: Record<string, string> }[];
};

export function readConfiguration(root: string, environment: Environment): Configuration {
  const env = environment === "production" ? undefined : environment;
  const read = unstable_readConfig(
    { config: join(root, CONFIGURATION), ...(env === undefined ? {} : { env }) },
    { hideWarnings: true },
  ) as ReadByWrangler;
  const database = read.d1_databases.find(({ binding }) => binding === "DB");
  const bucket = read.r2_buckets.find(({ binding }) => binding === "MEDIA");
  if (read.name === undefined || database === undefined || bucket?.bucket_name === undefined) {
    throw new SetupProblem(
      `${CONFIGURATION} has no name, D1 binding DB or R2 binding MEDIA for ${environment}`,
      `Take the file of the release (git checkout -- ${CONFIGURATION}) and run setup again.`,
    );
  }
  return {
    name: read.name,
    workersDev: read.workers_dev ?? true,
    routes: read.routes ?? [],
    databaseName: database.database_name ?? "",
    databaseId: database.database_id ?? NO_DATABASE_ID,
    bucket: bucket.bucket_name,
    vars: Object.fromEntries(Object.entries(read.vars).map(([name, value]) => [name, String(value)])),
    containers: (read.containers ?? []).map(({ image = "", image_vars: imageVars = {} }) => ({ built: existsSync(image), imageVars })),
  };
}

/** Throws if wrangler would read anything unexpected from the changed file. */
export function changeConfiguration(root: string, environment: Environment, change: Change): Configuration {
  const file = join(root, CONFIGURATION);
  const text = readFileSync(file, "utf8");
  const changed = changedText(text, environment, change, operatorsRoutes(readConfiguration(root, environment)));
  if (changed !== text) {
    writeFileSync(`${file}.new`, changed);
    renameSync(`${file}.new`, file);
  }
  const now = readConfiguration(root, environment);
  for (const [name, value] of Object.entries(change.vars ?? {})) {
    if (now.vars[name] !== value) throw notWritten(name);
  }
  if (change.databaseId !== undefined && now.databaseId !== change.databaseId) throw notWritten("database_id");
  if (change.name !== undefined && now.name !== change.name) throw notWritten("name");
  return now;
}

function notWritten(what: string): SetupProblem {
  return new SetupProblem(
    `${what} could not be written into ${CONFIGURATION}`,
    `Write it by hand (docs/operate/deployment.md, "Deploying by hand"), or start from the release's file.`,
  );
}

/** All routes except the domains that setup has written for the addresses in the configuration. */
function operatorsRoutes({ routes, vars }: Configuration): Route[] {
  const addresses = [vars["APP_URL"], vars["BASE_URL"]].filter((address) => URL.canParse(address ?? ""));
  const hosts = addresses.map((address) => new URL(address ?? "").hostname);
  return routes.filter((route) => !hosts.some((host) => isDomain(route, host)));
}

const isDomain = (route: Route, host: string) => typeof route !== "string" && route["custom_domain"] === true && route["pattern"] === host;

/** `own` are routes to keep if the environment has a line of routes. */
export function changedText(text: string, environment: Environment, change: Change, own: readonly Route[] = []): string {
  const inside = environment === "production" ? "" : `env.${environment}`;
  const top = inside === "" ? null : `[${inside}]`;
  const table = (name: string) => (inside === "" ? `[${name}]` : `[${inside}.${name}]`);
  const list = (name: string) => `[${table(name)}]`;
  let lines = text.split("\n");
  const set = (where: string | null, key: string, value: string | undefined, nth = 0) => {
    if (value !== undefined) lines = withLine(lines, rangeOf(lines, where, nth), key, value);
  };
  set(top, "name", quoted(change.name));
  if (change.workersDev !== undefined) set(top, "workers_dev", String(change.workersDev));
  if (change.domains !== undefined) {
    const { domains } = change;
    const { start, end } = rangeOf(lines, top, 0);
    const kept =
      indexOfKey(lines, start, end, "routes") < 0 ? [] : own.filter((route) => !domains.some((domain) => isDomain(route, domain)));
    const routes = [...domains.map((domain) => ({ pattern: domain, custom_domain: true })), ...kept];
    // Writes even an empty list, because without one the environment would inherit production's routes.
    set(top, "routes", `[${routes.map(inline).join(", ")}]`);
  }
  set(list("d1_databases"), "database_name", quoted(change.databaseName));
  set(list("d1_databases"), "database_id", quoted(change.databaseId));
  set(list("r2_buckets"), "bucket_name", quoted(change.bucket));
  if (change.containers !== undefined) set(list("containers"), "constraints", `{ regions = ${JSON.stringify(change.containers)} }`);
  for (const [nth, imageVars] of (change.imageVars ?? []).entries()) {
    if (imageVars !== null) set(list("containers"), "image_vars", inlineTable(imageVars), nth);
  }
  for (const [name, value] of Object.entries(change.vars ?? {})) set(table("vars"), name, quoted(value));
  return lines.join("\n");
}

function quoted(value: string | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

const inline = (route: Route) => (typeof route === "string" ? JSON.stringify(route) : inlineTable(route));

function inlineTable(values: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return `{ ${fields.join(", ")} }`;
}

type Range = { start: number; end: number };

function withLine(lines: readonly string[], { start, end }: Range, key: string, value: string): string[] {
  const at = indexOfKey(lines, start, end, key);
  if (at >= 0) return lines.with(at, `${key} = ${value}`);
  // Inserts after the table's last line that is neither empty nor a comment.
  let last = end;
  while (last > start && (lines[last - 1]?.trim() === "" || lines[last - 1]?.startsWith("#"))) last -= 1;
  return lines.toSpliced(last, 0, `${key} = ${value}`);
}

/** If `table` is null, returns the lines above the first table heading. `nth` is the index among tables with this heading, from 0. */
function rangeOf(lines: readonly string[], table: string | null, nth: number): Range {
  const headings = lines.flatMap((line, at) => (line.trim() === table ? [at] : []));
  const heading = table === null ? -1 : headings[nth];
  if (heading === undefined) {
    throw new SetupProblem(`${CONFIGURATION} has no ${table}`, `Take the file of the release (git checkout -- ${CONFIGURATION}).`);
  }
  const start = heading + 1;
  const length = lines.slice(start).findIndex((line) => line.startsWith("["));
  return { start, end: length < 0 ? lines.length : start + length };
}

function indexOfKey(lines: readonly string[], start: number, end: number, key: string): number {
  const found = lines.slice(start, end).findIndex((line) => new RegExp(`^${key}\\s*=`).test(line));
  if (found < 0) return -1;
  const line = lines[start + found] ?? "";
  const opened = line.split("[").length - line.split("]").length;
  if (opened !== 0 || line.includes('"""')) {
    throw new SetupProblem(`${key} in ${CONFIGURATION} goes over several lines`, "Put it on one line and run setup again.");
  }
  return start + found;
}
