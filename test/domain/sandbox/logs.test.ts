import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { LogFile, openLogs, readableLine, readLogLine } from "#root/server/processes/logs.ts";

const NOW = new Date("2026-03-04T05:06:07.089Z");
const directory = mkdtempSync(join(tmpdir(), "gateway-logs-"));
afterAll(() => rmSync(directory, { recursive: true }));

describe("a printed line", () => {
  it("gets the time and a level if it is the worker's", () => {
    expect(readLogLine("worker", '{"event":"request","status":200,"ms":3}', NOW)).toEqual({
      time: "2026-03-04T05:06:07.089Z",
      level: "info",
      process: "worker",
      event: "request",
      status: 200,
      ms: 3,
    });
    expect(readLogLine("worker", '{"event":"request","status":503}', NOW).level).toBe("error");
    expect(readLogLine("worker", '{"event":"request","status":501}', NOW).level).toBe("info");
    expect(readLogLine("worker", '{"event":"alarm.failed","error":"TypeError"}', NOW).level).toBe("error");
    expect(readLogLine("worker", '{"event":"delivery.attempted","error":null}', NOW).level).toBe("info");
  });

  it("keeps its own time and level if it is the bridge's", () => {
    const printed = '{"level":"warn","time":"2026-03-04T05:00:00.000Z","process":"bridge","bridge":"b1","event":"pool.refused"}';
    expect(readLogLine("bridge", printed, NOW)).toEqual({
      time: "2026-03-04T05:00:00.000Z",
      level: "warn",
      process: "bridge",
      event: "pool.refused",
      bridge: "b1",
    });
  });

  it("is kept as text if it is no event", () => {
    for (const text of ["(node:1) Warning: x", "{ not JSON", '{"no":"event"}']) {
      expect(readLogLine("network", text, NOW)).toEqual({
        time: NOW.toISOString(),
        level: "warn",
        process: "network",
        event: "output",
        text,
      });
    }
  });

  it("is readable text, not JSON, on a terminal", () => {
    const line = readLogLine(
      "worker",
      '{"event":"request","request":"239bd4cc-569b-47f6-8bdc-912ea586834b","method":"GET","status":200,"ms":5,"route":"/docs"}',
      NOW,
    );
    expect(stripVTControlCharacters(readableLine(line))).toMatch(
      /^\d\d:\d\d:07 info {2}worker {2}request GET \/docs 200 ms=5 request=239bd4cc$/,
    );
  });
});

describe("logs", () => {
  const shownOn = (terminal: boolean, verbose: boolean) => {
    const shown: string[] = [];
    const { isTTY } = process.stdout;
    process.stdout.isTTY = terminal;
    const logs = openLogs(join(directory, "shown"), verbose, (text) => shown.push(text));
    logs.printed("worker", '{"event":"request","method":"GET","status":200}');
    process.stdout.isTTY = isTTY;
    logs.flush();
    return shown.map(stripVTControlCharacters);
  };

  it("leave the terminal alone", () => expect([shownOn(true, false), shownOn(false, false)]).toEqual([[], []]));
  it("are readable on a terminal if requested", () => {
    expect(shownOn(true, true)).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d info {2}worker {2}request GET 200$/)]);
  });
  it("are printed as in their files if there is no terminal", () => {
    const [line = ""] = shownOn(false, true);
    expect(readFileSync(join(directory, "shown", "logs", "worker.log"), "utf8")).toContain(`${line}\n`);
    expect(JSON.parse(line)).toMatchObject({ process: "worker", level: "info", event: "request" });
  });
});

it("a log file and the part before it never take more than twice the limit", () => {
  const file = join(directory, "deep", "worker.log");
  const log = new LogFile(file, 1_000);
  for (let n = 0; n < 500; n += 1) {
    log.append(`line ${n}`.padEnd(30, "."));
    if (n % 7 === 0) log.flush();
  }
  log.flush();
  expect(readdirSync(join(directory, "deep")).sort()).toEqual(["worker.log", "worker.log.1"]);
  for (const name of [file, `${file}.1`]) expect(statSync(name).size).toBeLessThanOrEqual(1_000);
  const kept = `${readFileSync(`${file}.1`, "utf8")}${readFileSync(file, "utf8")}`.trim().split("\n");
  expect(kept.map((line) => Number.parseInt(line.slice(5), 10))).toEqual([...Array(500).keys()].slice(-kept.length));

  // A later start continues the file.
  const next = new LogFile(file, 1_000);
  next.append("one more");
  next.flush();
  expect(readFileSync(file, "utf8")).toMatch(/line 499\.+\none more\n$/);
});
