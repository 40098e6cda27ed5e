// CPU time per call of several processes, over the rounds of a benchmark.
import { cpuMs } from "./cpu-time.ts";
import type { TimedLoad } from "./timed-load.ts";

/** Returns CPU time since some moment, in ms. */
type Clock = () => number;

export function clockOf(pid: number | null): Clock {
  return () => (pid === null ? Number.NaN : cpuMs(pid));
}

export function ownClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function cpuMeter<N extends string>(clocks: Readonly<Record<N, Clock>>) {
  const names = Object.keys(clocks) as N[];
  const each = (value: (name: N) => number) => Object.fromEntries(names.map((name) => [name, value(name)])) as Record<N, number>;
  const read = () => each((name) => clocks[name]());
  let spent = each(() => 0);
  let calls = 0;
  return {
    async during(running: Promise<TimedLoad>): Promise<TimedLoad> {
      const before = read();
      const result = await running;
      const after = read();
      spent = each((name) => spent[name] + after[name] - before[name]);
      calls += result.calls;
      return result;
    },
    /** In ms. */
    perCall: () => each((name) => spent[name] / calls),
  };
}
