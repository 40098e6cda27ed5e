// Checks the tables of docs/use/cloud-routes.md, "Supported routes", against the code for every route of both APIs.
import { expect, it } from "vitest";
import page from "#root/docs/use/cloud-routes.md?raw";
import { CLOUD_COMMANDS } from "#root/durable-objects/connection/cloud/commands.ts";
import { ROUTES as ACCOUNT_ROUTES } from "#root/src/api/account/routes.ts";
import { ROUTES as CONNECTION_ROUTES } from "#root/src/api/connection/routes.ts";
import type { NetworkCommand } from "@gateway/protocol/commands.ts";
import type { ConnectionKind, OperationName } from "@gateway/protocol/operations.ts";

type Row = { tag: string; method: string; path: string; operation: OperationName; kinds: readonly ConnectionKind[] };

const COLUMNS = ["Graph", "store", "501"] as const;
type Column = (typeof COLUMNS)[number];

/** Operations whose network command has another name or form. */
const ASKED: Readonly<Partial<Record<OperationName, NetworkCommand | "Graph">>> = {
  "messages.send": "Graph",
  "messages.react": "Graph",
  "messages.media": "messages.fetch_media",
  "groups.list": "groups.refresh",
  "groups.remove_participants": "groups.participants",
  "groups.delete": "groups.leave",
  "instance.connect": "Graph",
  "instance.restart": "Graph",
  "instance.health": "Graph",
};

function columnOf({ operation, kinds }: Row): Column {
  if (!kinds.includes("cloud_api")) return "501";
  const asked = ASKED[operation] ?? operation;
  if (asked === "Graph") return "Graph";
  const command = Object.hasOwn(CLOUD_COMMANDS, asked) ? CLOUD_COMMANDS[asked as NetworkCommand] : "none";
  if (command === "absent") throw new Error(`${operation} works, and its command does not`);
  return typeof command === "object" && "graph" in command ? "Graph" : "store";
}

function tableOf(rows: readonly Row[]): string[] {
  const tags = [...new Set(rows.map(({ tag }) => tag))];
  const cell = (tag: string, column: Column) =>
    rows
      .filter((row) => row.tag === tag && columnOf(row) === column)
      .map(({ method, path }) => `\`${method.toUpperCase()} ${path === "" ? "/" : path}\``)
      .join(", ");
  const lines = tags.map((tag) => [tag, ...COLUMNS.map((column) => cell(tag, column))].map((text) => ` ${text} `.replace(/^ +$/, " ")));
  return ["| | calls Graph | stored data only | 501 |", "|---|---|---|---|", ...lines.map((cells) => `|${cells.join("|")}|`)];
}

/** Names the missing rows before it compares the whole table, whose order counts too. */
function expectTable(rows: readonly string[]): void {
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  expect(page).toContain(rows.join("\n"));
}

const INSTANCE = "/instances/{instanceId}";
const ofAccounts = ACCOUNT_ROUTES.flatMap((row) => (row.kind === "operation" ? [row] : []));
const isShared = ({ method, path }: Row) => ofAccounts.some((row) => row.method === method && row.path === INSTANCE + path);

it("the page names every route that both APIs have", () => {
  expectTable(tableOf(CONNECTION_ROUTES.filter(isShared)));
});

it("the page names every route that only one API has", () => {
  expectTable(tableOf(CONNECTION_ROUTES.filter((row) => !isShared(row))));
  const alone = ofAccounts.filter(
    ({ method, path }) => !CONNECTION_ROUTES.some((row) => row.method === method && INSTANCE + row.path === path),
  );
  expectTable(tableOf(alone.map((row) => ({ ...row, path: row.path.slice(INSTANCE.length) }))));
});
