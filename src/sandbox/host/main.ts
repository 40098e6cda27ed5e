// `npm start`: the whole gateway on one machine. The contract of its flags and files: docs/sandbox.md, "Flags".
import { rmSync } from "node:fs";
import { Demo } from "./demo.ts";
import { readFlags, USAGE } from "./flags.ts";
import { printPanel } from "./panel.ts";
import { freePort } from "./ports.ts";
import { type Parts, startParts } from "./parts.ts";
import { canWriteBeside, leaveStateDirectory, objectionTo, openStateDirectory, writeAtomically } from "./state-directory.ts";

/** Starts everything; from then on the child processes keep this one alive until it is asked to end. Bad input ends with one line and exit code 2. */
export async function run(args: readonly string[]): Promise<void> {
  const read = readFlags(args);
  if (!read.ok) return refuse(`${read.problem}. Usage: ${USAGE}`);
  const { flags } = read;
  // Whatever is wrong is said before anything is touched: a mistyped port must not cost a directory's contents.
  const objection = objectionTo(flags.state, flags);
  if (objection !== null) return refuse(objection);
  if (flags.readyFile !== null && !canWriteBeside(flags.readyFile)) return refuse(`--ready-file ${flags.readyFile} cannot be written`);
  const port = await freePort(flags.port);
  if (port === null) return refuse(`port ${flags.port} is in use; choose another with --port`);
  const networkPort = flags.live ? 0 : await freePort(flags.networkPort);
  if (networkPort === null) return refuse(`port ${flags.networkPort} is in use; choose another with --network-port`);
  const opened = openStateDirectory(flags.state, flags);
  if (!opened.ok) return refuse(opened.problem);
  const { directory } = opened;
  // One of an earlier start would be taken for this one's.
  const forgetReadyFile = () => flags.readyFile !== null && rmSync(flags.readyFile, { force: true });
  forgetReadyFile();

  const startedAt = Date.now();
  const say = (text: string) => process.stdout.write(`${text}\n`);
  say(`starting in ${directory.path}`);
  let announce = () => undefined as void;
  const parts: Parts = startParts({ flags, directory, port, networkPort, say, onChange: () => announce() });

  let ending = false;
  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    say("stopping");
    forgetReadyFile();
    await parts.stop();
    leaveStateDirectory(directory);
    process.exit(code);
  };
  process.on("SIGINT", () => void end(0));
  process.on("SIGTERM", () => void end(0));

  try {
    await parts.answering();
    if (!flags.live) say("connecting the demo number");
    const demo = new Demo(parts, directory, flags.live);
    const ready = await demo.prepare();
    // A part that was started again has a new pid: the file always names the living ones.
    announce = () => {
      if (flags.readyFile !== null) writeAtomically(flags.readyFile, `${JSON.stringify({ ...ready, processes: parts.pids() }, null, 2)}\n`);
    };
    announce();
    printPanel({ ...ready, processes: parts.pids() }, flags, Date.now() - startedAt, say);
    if (flags.live) demo.pairInTerminal(say).catch((error: unknown) => say(`the QR cannot be shown: ${String(error)}`));
  } catch (error) {
    process.stderr.write(`the sandbox could not start: ${error instanceof Error ? error.message : String(error)}\n`);
    await end(1);
  }
}

function refuse(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}
