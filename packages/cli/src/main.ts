#!/usr/bin/env node
// The `gateway` command. Keys come from the environment and never reach the output.
import { GatewayError } from "@gateway/sdk";
import { type Command, COMMON_FLAGS, parse, suggestion, UsageError } from "./command.ts";
import { api, send } from "./commands/calls.ts";
import { doctor } from "./commands/doctor.ts";
import { events } from "./commands/events.ts";
import { listen } from "./commands/listen.ts";
import { login, logout } from "./commands/login.ts";
import { pair } from "./commands/pair.ts";
import { chats, messages } from "./commands/reads.ts";
import { trigger } from "./commands/trigger.ts";
import { verify } from "./commands/verify.ts";
import { whoami } from "./commands/whoami.ts";
import { readSecret } from "./read-secret.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  listen,
  trigger,
  events,
  send,
  chats,
  messages,
  pair,
  login,
  logout,
  whoami,
  doctor,
  verify,
  api,
};
const MISUSED = 2;
/** The exit code of shells for a program that Ctrl-C ended. */
const STOPPED = 130;

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const warn = (line: string): void => void process.stderr.write(`${line}\n`);
  const ask = (question: string): Promise<string> =>
    readSecret(question, process.stdin, (text) => {
      process.stderr.write(text);
    });
  // The reader of a pipe may close it early, as in `gateway chats | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  try {
    const command = COMMANDS[name];
    if (command === undefined) {
      if (name !== "--help" && name !== "help") throw new UsageError(`unknown command ${name}${suggestion(name, Object.keys(COMMANDS))}`);
      print(helpOfAll());
      return 0;
    }
    const given = parse(command, args);
    if (given.flags["help"] === true) {
      print(helpOf(name, command));
      return 0;
    }
    return await command.run(given, { print, warn, ask, env: process.env, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) return STOPPED;
    if (error instanceof UsageError) {
      warn(error.message);
      return MISUSED;
    }
    if (error instanceof GatewayError) {
      warn(error.message);
      return 1;
    }
    throw error;
  }
}

function helpOfAll(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
  return [
    "gateway COMMAND",
    "",
    ...lines,
    "",
    "`gateway login`, or GATEWAY_URL and GATEWAY_API_KEY, choose the gateway; a sandbox in this folder needs neither.",
  ].join("\n");
}

function helpOf(name: string, { usage, summary, flags }: Command): string {
  const lines = Object.entries({ ...flags, ...COMMON_FLAGS }).map(
    ([flag, { value, about }]) => `  ${`--${flag}${value === undefined ? "" : ` ${value}`}`.padEnd(24)}${about}`,
  );
  return [`gateway ${name} ${usage}`.trim(), "", summary, "", ...lines].join("\n");
}

process.exitCode = await main(process.argv.slice(2));
