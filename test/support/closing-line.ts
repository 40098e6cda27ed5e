import type { Reporter, TestModule } from "vitest/node";

/** Prints the count of the whole run as one plain line at the end, for whoever reads the log by machine. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    const count = (state: string) => states.filter((each) => each === state).length;
    process.stdout.write(`\n${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped\n`);
  }
}
